"""Fine-tuning on the hardware people own: rehearse, run, serve."""

__version__ = "0.1.0"
