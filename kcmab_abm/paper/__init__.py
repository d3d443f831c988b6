"""The paper's experimental section, rerun and judged."""
