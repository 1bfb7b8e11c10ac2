"""neardup mcp: a window as tools of the Model Context Protocol, over standard input and output."""

from __future__ import annotations

from neardup.cli import options
from neardup.cli.context import configuration, opened_window, window_location


def mcp(window: options.WindowOption = None, config_file: options.ConfigOption = None) -> None:
    """Answer questions about a window over the Model Context Protocol: has this text been seen, and where first?

    Client programs start this command, and ask over its standard input and output. The window is only read; another
    process can write to it meanwhile.

    Example:

        neardup mcp --window news.window
    """
    from neardup.cli.running import end_at_signals
    from neardup.cli.serving import needs_extra

    needs_extra("mcp")
    config = configuration(config_file)
    location = window_location(window, config)
    with opened_window(window, config, readonly=True) as target:
        from neardup.serving.mcp_tools import create_mcp_server
        from neardup.serving.questions import Questions

        server = create_mcp_server(Questions(target, location))
        end_at_signals()
        server.run("stdio")
