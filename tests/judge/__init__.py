"""The parts of numpy_judge.py: file formats, the meaning of views, refusals."""
