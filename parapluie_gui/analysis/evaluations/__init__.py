"""The analyses, one file each; `analysis.catalogue` lists them, and `analysis.base` defines their interface."""
