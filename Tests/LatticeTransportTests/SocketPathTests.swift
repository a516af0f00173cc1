import LatticeTransport
import Testing

@Suite struct SocketPathTests {
    @Test func keepsAPathThatFits() throws {
        let path = try SocketPath("/run/" + String(repeating: "s", count: SocketPath.longest - 5))
        #expect(path.description.utf8.count == SocketPath.longest)
    }

    static let tooLong = "/" + String(repeating: "é", count: SocketPath.longest / 2 + 1)

    @Test(arguments: [
        ("", "The socket path is empty. Give the path of a file."),
        ("/run/lattice/", "The socket path /run/lattice/ names a directory. Give the path of a file in it."),
        ("/run/\0x", "The socket path /run/\\0x contains a zero byte. Remove it."),
        (
            tooLong,
            "The socket path \(tooLong) has \(tooLong.utf8.count) bytes, and a socket path has at most "
                + "\(SocketPath.longest) here. Choose a shorter one."
        ),
    ])
    func refuses(path: String, message: String) {
        let error = #expect(throws: TransportError.self) { try SocketPath(path) }
        #expect(error?.code == .invalidPath)
        #expect(error?.message == message)
    }

    #if os(Linux)
    @Test func hasTheLimitOfThisSystem() {
        #expect(SocketPath.longest == 107)
    }
    #endif

    @Test func runtimeDirectoryIsAbsolute() {
        #expect(SocketPath.runtimeDirectory("tally").hasPrefix("/"))
        #expect(SocketPath.runtimeDirectory("tally").contains("tally"))
    }
}
