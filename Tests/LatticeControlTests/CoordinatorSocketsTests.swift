import Testing

@testable import LatticeControl

struct CoordinatorSocketsTests {
    @Test("Of the sockets that Linux lists, those with an absolute path at which a process listens are found")
    func listening() {
        let text = """
            Num       RefCount Protocol Flags    Type St Inode Path
            0000000000000000: 00000002 00000000 00010000 0001 01 1001 /tmp/tally-0/7.sock
            0000000000000000: 00000003 00000000 00000000 0001 03 1002 /tmp/tally-0/7.sock
            0000000000000000: 00000002 00000000 00010000 0001 01 1003 relative.sock
            0000000000000000: 00000002 00000000 00010000 0001 01 1004 @abstract
            0000000000000000: 00000002 00000000 00010000 0001 01 1005
            0000000000000000: 00000002 00000000 00010000 0001 01 1006 /home/a user/s
            garbage
            """
        #expect(CoordinatorSockets.listening(in: text) == ["/tmp/tally-0/7.sock", "/home/a user/s"])
    }
}
