// SPDX-License-Identifier: GPL-2.0

// The client of mrc_client.c: mrc_client ADDRESS PORT TEXT
//
// Package net knows the addresses of its own families only: net.FileConn()
// refuses AF_MRC. Raw calls connect; os.NewFile() of a non-blocking descriptor
// then hands it to the runtime's poller, so that Read and Write block the
// goroutine and not the thread, and deadlines work. mrcrun cannot help: Go
// makes its system calls itself.
package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

const afMRC = 18

func fail(what string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(1)
	}
}

func connect(node string, port uint16) (*os.File, error) {
	var a [28]byte // struct sockaddr_mrc

	*(*uint16)(unsafe.Pointer(&a[0])) = afMRC
	binary.BigEndian.PutUint16(a[2:], port)
	copy(a[8:24], net.ParseIP(node).To16())
	fd, err := syscall.Socket(afMRC, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	_, _, e := syscall.Syscall(syscall.SYS_CONNECT, uintptr(fd),
		uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a))
	if e != 0 {
		syscall.Close(fd)
		return nil, e
	}
	// Before NewFile(), which looks at it
	err = syscall.SetNonblock(fd, true)
	return os.NewFile(uintptr(fd), "mrc"), err
}

func main() {
	port, err := strconv.ParseUint(os.Args[2], 10, 16)
	fail("port:", err)
	f, err := connect(os.Args[1], uint16(port))
	fail("connect:", err)
	_, err = f.WriteString(os.Args[3])
	fail("write:", err)
	raw, err := f.SyscallConn()
	fail("fd:", err)
	raw.Control(func(fd uintptr) { syscall.Shutdown(int(fd), syscall.SHUT_WR) })
	_, err = io.Copy(os.Stdout, f)
	fail("read:", err)
	fmt.Println()
}
