import CLatticeSystem
import LatticeTestSupport
import Testing

@testable import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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

    @Test func runtimeDirectoryIsAbsolute() throws {
        let path = try SocketPath.runtimeDirectory("tally")
        #expect(path.hasPrefix("/"))
        #expect(path.contains("tally"))
    }

    #if !canImport(Darwin)
    @Test("A runtime directory that is relative, missing or no directory is ignored (F29)")
    func passesOverWhatIsNoDirectory() async throws {
        try await withTemporaryDirectory { directory in
            close(open(directory + "/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            for variable in [nil, "", "run", ".", directory + "/missing", directory + "/file"] {
                let path = try SocketPath.runtimeDirectory("tally", variable: variable)
                #expect(path == "/tmp/tally-\(geteuid())")
            }
            for variable in [directory, directory + "/"] {
                let path = try SocketPath.runtimeDirectory("tally", variable: variable)
                #expect(path == directory + "/tally")
            }
        }
    }

    @Test(
        "A runtime directory of another user is refused (F29)",
        .enabled(if: geteuid() == 0, "Only root can give a directory away.")
    )
    func refusesTheDirectoryOfSomebodyElse() async throws {
        try await withTemporaryDirectory { directory in
            let foreign = directory + "/foreign"
            mkdir(foreign, 0o700)
            chown(foreign, 12_345, 12_345)
            let error = #expect(throws: TransportError.self) {
                try SocketPath.runtimeDirectory("tally", variable: foreign)
            }
            #expect(error?.code == .unsafePath)
            #expect(
                error?.message
                    == "XDG_RUNTIME_DIR is \(foreign), which belongs to user 12345, not to user 0. Set it to a"
                    + " directory of your own, or unset it."
            )
        }
    }
    #endif
}
