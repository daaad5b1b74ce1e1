// SPDX-License-Identifier: GPL-2.0

// The client of mrc_client.c: mrc_client ADDRESS PORT TEXT
//
// std::net makes sockets of its own families only, but a TcpStream does not ask
// what its descriptor is: reading, writing, shutdown(), time-outs and
// set_nonblocking() work; peer_addr() and local_addr() do not (InvalidInput), and
// set_nodelay() is MRC_NODELAY's business.
use std::io::{Error, Read, Result, Write};
use std::net::{Ipv6Addr, Shutdown, TcpStream};
use std::os::fd::FromRawFd;

const AF_MRC: u16 = 18;
const SOCK_STREAM: i32 = 1;
const SOCK_CLOEXEC: i32 = 0o2000000;

#[repr(C)]
struct SockaddrMrc {
    family: u16,
    port: [u8; 2],
    flowinfo: u32,
    addr: [u8; 16],
    scope_id: u32,
}

extern "C" {
    fn socket(family: i32, kind: i32, protocol: i32) -> i32;
    fn connect(fd: i32, addr: *const SockaddrMrc, len: u32) -> i32;
}

fn mrc_connect(node: Ipv6Addr, port: u16) -> Result<TcpStream> {
    let a = SockaddrMrc {
        family: AF_MRC,
        port: port.to_be_bytes(),
        flowinfo: 0,
        addr: node.octets(),
        scope_id: 0,
    };
    unsafe {
        let fd = socket(AF_MRC.into(), SOCK_STREAM | SOCK_CLOEXEC, 0);
        if fd < 0 {
            return Err(Error::last_os_error());
        }
        let stream = TcpStream::from_raw_fd(fd);
        if connect(fd, &a, std::mem::size_of::<SockaddrMrc>() as u32) < 0 {
            return Err(Error::last_os_error());
        }
        Ok(stream)
    }
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let node = args[1].parse().expect("an IPv6 address");
    let mut s = mrc_connect(node, args[2].parse().expect("a port"))?;
    let mut text = String::new();

    s.write_all(args[3].as_bytes())?;
    s.shutdown(Shutdown::Write)?;
    s.read_to_string(&mut text)?;
    println!("{text}");
    Ok(())
}
