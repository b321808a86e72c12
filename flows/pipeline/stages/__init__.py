"""The stages of a build, one module each. A stage turns frames of earlier shards into frames."""
