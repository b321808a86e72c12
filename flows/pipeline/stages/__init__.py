"""The stages of a build, each in its own module. A stage turns earlier frames into new frames."""
