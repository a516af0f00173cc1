import CLatticeSystem
import Testing

@testable import LatticeTransport

struct TransportErrorTests {
    @Test(
        "Errors that may pass are distinguished from permanent ones",
        arguments: [
            (EMFILE, true), (ENFILE, true), (ENOMEM, true), (EAGAIN, true), (ENOBUFS, true),
            (ENOENT, false), (EACCES, false), (EPERM, false), (E2BIG, false), (ENOSPC, false),
        ]
    )
    func lackOfResources(number: Int32, isLack: Bool) {
        #expect(TransportError.system("start a worker", number).isLackOfResources == isLack)
        #expect(!TransportError(code: .closed, message: "closed").isLackOfResources)
    }

    /// An error with its code, its error number and its whole message. Other tests check the codes only, except that
    /// the tests of `SocketPath` and `SocketListener` check the messages for a path that cannot be used.
    private struct Row {
        let error: TransportError
        let code: TransportError.Code
        let errno: Int32?
        let message: String

        init(_ error: TransportError, _ code: TransportError.Code, _ errno: Int32?, _ message: String) {
            self.error = error
            self.code = code
            self.errno = errno
            self.message = message
        }
    }

    private func check(_ rows: [Row]) {
        for row in rows {
            #expect(row.error.code == row.code, "\(row.message)")
            #expect(row.error.errno == row.errno, "\(row.message)")
            #expect(row.error.message == row.message)
            #expect("\(row.error)" == row.message)
        }
    }

    @Test("Each error of a connection has its code, and a message that says what to do")
    func connections() {
        check([
            Row(.closed, .closed, nil, "The connection is closed. Open a new one."),
            Row(
                .peerClosed(EPIPE),
                .peerClosed,
                EPIPE,
                "The other side closed the connection. Connect again if it should be there."
            ),
            Row(
                .system("make the directory /run/a", ENOENT),
                .system,
                ENOENT,
                "Could not make the directory /run/a: No such file or directory."
            ),
            Row(
                .workerLacks(EAGAIN),
                .system,
                EAGAIN,
                "Could not give the worker the threads that it needs: Resource temporarily unavailable."
            ),
            Row(
                .invalidDescriptor(-1, EBADF),
                .invalidDescriptor,
                EBADF,
                """
                Descriptor -1 is not a connected stream socket. Pass one end of a socket pair or of an accepted \
                connection.
                """
            ),
        ])
    }

    @Test("Each error of a path has its code, and a message that says what to do")
    func paths() throws {
        let path = try SocketPath("/run/s")
        check([
            Row(.invalidPath("It is empty. Name one."), .invalidPath, nil, "It is empty. Name one."),
            Row(.unsafe("/run/s", "is a link", "Remove it."), .unsafePath, nil, "/run/s is a link. Remove it."),
            Row(
                .addressInUse(path),
                .addressInUse,
                nil,
                "Another coordinator is serving at /run/s. Stop it or choose another path."
            ),
            Row(
                .notFound(path),
                .notFound,
                ENOENT,
                "There is no socket at /run/s. Start the coordinator, or check the path."
            ),
            Row(
                .refused(path),
                .refused,
                ECONNREFUSED,
                "No process is serving at /run/s, because its coordinator has ended. Start it again."
            ),
            Row(
                .busy(path),
                .busy,
                EAGAIN,
                "The coordinator at /run/s takes no more connections at the moment. Try again later."
            ),
            Row(
                .wrongUser(path, found: 12_345, expected: 0),
                .wrongUser,
                nil,
                """
                The process serving at /run/s belongs to user 12345, not to user 0. Choose a path in a directory of \
                your own.
                """
            ),
        ])
    }
}
