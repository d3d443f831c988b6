"""The paper's experiments, rerun and compared with its claims."""
