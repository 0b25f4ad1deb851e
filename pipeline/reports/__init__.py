"""Reports: sections, tables, figures and drawings."""
