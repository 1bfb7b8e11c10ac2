"""Templates, pipelines, roles and hourly indices: what is there, what must change, what is wrong."""
