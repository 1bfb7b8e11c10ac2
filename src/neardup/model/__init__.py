"""Values: documents, verdicts, hours, settings and the decision between them. No files, no clock, no numpy."""
