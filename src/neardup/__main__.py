"""`python -m neardup` is the command `neardup`."""

if __name__ == "__main__":
    from neardup.cli import main

    main()
