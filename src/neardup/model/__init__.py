"""Values: documents, verdicts, hours, settings, the decision between them, and the one clock. No files but those that a
recipe names, no numpy.
"""
