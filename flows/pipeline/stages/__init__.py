"""The stages of a build, one module each: frames of the shards before it in, frames out."""
