"""The analyses, a file each; `analysis.catalogue` lists them, `analysis.base` says what one is."""
