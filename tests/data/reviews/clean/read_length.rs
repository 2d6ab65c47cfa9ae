use std::io::{BufRead, Error, ErrorKind, Result};

/// Reads a length from the first line.
pub fn read_length(reader: &mut impl BufRead) -> Result<usize> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    line.trim()
        .parse()
        .map_err(|error| Error::new(ErrorKind::InvalidData, error))
}
