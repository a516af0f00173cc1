import CLatticeSystem
import LatticeTestSupport
import Testing

@testable import LatticeTransport

/// Tests writes that the system refuses.
@Suite(.timeLimit(.minutes(10))) struct SendErrorTests {
    @Test(arguments: [
        (EAGAIN, "wouldBlock"), (EWOULDBLOCK, "wouldBlock"), (ENOBUFS, "noMemory"), (ENOMEM, "noMemory"),
        (EPIPE, "failed(\(EPIPE))"), (ECONNRESET, "failed(\(ECONNRESET))"), (EBADF, "failed(\(EBADF))"),
        (EMSGSIZE, "failed(\(EMSGSIZE))"), (EPERM, "failed(\(EPERM))"),
    ])
    func eachErrorHasItsMeaning(error: Int32, meaning: String) {
        #expect("\(System.Transfer(sendError: error))" == meaning)
    }

    #if DEBUG
    @Test("A write that failed for lack of memory is retried until it succeeds", arguments: [ENOBUFS, ENOMEM])
    func noMemoryIsWaitedFor(error: Int32) async throws {
        try await withReactor { reactor in
            let (near, far) = try System.socketPair()
            let number = near.number
            let local = try SocketConnection(adopting: near, reactor: reactor)
            let other = try SocketConnection(adopting: far, reactor: reactor)
            let (here, there) = (Recorder(), Recorder())
            local.start(handler: here)
            other.start(handler: there)
            System.refuseSends(number, error, times: 1)
            #expect(try local.write([1, 2, 3]) == 0)
            // Nothing else makes it so: the socket had room all the time.
            try await here.record.until { $0.writable == 1 }
            #expect(try local.write([1, 2, 3]) == 3)
            try await there.record.until { $0.bytes == [1, 2, 3] }
            #expect(here.record.value.closed == 0)
        }
    }
    #endif
}
