use std::net::TcpStream;
use std::io::{BufRead, BufReader, Result};

/// Reads the length that a client announces in the first line.
pub fn read_length(stream: &TcpStream) -> Result<usize> {
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line)?;
    let length = line.trim().parse::<usize>().unwrap();
    Ok(length)
}
