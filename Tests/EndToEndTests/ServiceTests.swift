#if os(Linux)
import Foundation
import Glibc
import LatticeControl
import LatticeCoordinator
import LatticeTestSupport
import Testing

/// The example `service`: a coordinator with a file of settings, and under a test that plays systemd.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ServiceTests {
    private struct Failed: Error {
        let call: String
        let number = errno
    }

    /// Opens a socket as systemd does for a `.socket` unit.
    private func listen(at path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw Failed(call: "socket") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) } == 0
        }
        guard isBound, Glibc.listen(listener, 64) == 0 else { throw Failed(call: "listen") }
        return listener
    }

    /// Starts a line of the shell that ends with `exec`, with the arguments `$0` and so on.
    ///
    /// - Parameter listener: The socket that becomes descriptor 3, as systemd passes it.
    private func start(_ line: String, _ arguments: [String], _ listener: Int32? = nil) throws -> Int32 {
        var arguments = (["/bin/sh", "-c", line] + arguments).map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let listener { posix_spawn_file_actions_adddup2(&actions, listener, 3) }
        var process: pid_t = 0
        guard posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, environ) == 0 else {
            throw Failed(call: "posix_spawn")
        }
        return process
    }

    /// The shell has the process ID that the program has after `exec`.
    private static let activation =
        "LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=service.socket exec \"$0\" \"$1\""

    /// Runs a service until the body has ended, and then ends it in order.
    private func withService(
        _ line: String,
        _ arguments: [String],
        _ listener: Int32? = nil,
        _ body: (Int32) async throws -> Void
    ) async throws {
        let service = try start(line, arguments, listener)
        do {
            try await body(service)
        } catch {
            _ = try await end(service, by: SIGKILL)
            throw error
        }
        #expect(try await end(service, by: SIGTERM) == 0)
    }

    /// Ends a child and returns its wait status.
    private func end(_ process: Int32, by signal: Int32) async throws -> Int32 {
        kill(process, signal)
        return try await onAThread {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test("A service takes the socket of systemd, never removes it, and its workers get neither socket nor variables")
    func activation() async throws {
        try await withSocketPath { path in
            let settings = path + ".conf"
            try write("clientRetention = 7 s\n", to: settings)
            let listener = try listen(at: path)
            defer { close(listener) }
            let inode = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            // Clients come before there is a service, and while the next one starts.
            for _ in 0..<2 {
                let answer = Task {
                    try await withControlClient(connectingTo: path, timeout: .seconds(90)) { control in
                        var worker: Int?
                        try await poll {
                            worker = try await control.describe("workers").rows.first?["processID"]?.int
                            return worker != nil
                        }
                        let row = try await control.describe("coordinator").rows.first
                        return (socket: row?["socket"], process: row?["processID"]?.int, worker: worker)
                    }
                }
                try await withService(Self.activation, [Programs.path("service"), settings], listener) { service in
                    let (socket, process, worker) = try await answer.value
                    #expect(socket == .text(path) && process == Int(service))
                    try expectNothingInherited(of: listener, by: try #require(worker))
                }
                let now = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
                #expect(now == inode)
                #expect(!FileManager.default.fileExists(atPath: path + ".lock"))
            }
        }
    }

    /// Checks that a worker has neither the socket nor the variables that describe it.
    private func expectNothingInherited(of listener: Int32, by worker: Int) throws {
        let variables = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(worker)/environ"))
        #expect(!String(decoding: variables, as: UTF8.self).contains("LISTEN_"))
        var information = stat()
        fstat(listener, &information)
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/fd").map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(worker)/fd/\($0)")
        }
        #expect(!files.contains("socket:[\(information.st_ino)]"))
    }

    @Test("A descriptor that is no listening socket, and a path beside a socket, are refused with a sentence")
    func wrongSocket() async throws {
        try await withSocketPath { path in
            let ends = try listen(at: path)
            var configuration = CoordinatorConfiguration()
            configuration.listeningSocket = ends
            await expectInvalid(.invalid, configuration, listeningAt: path + "2")
            close(ends)
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            configuration.listeningSocket = file
            await expectInvalid(.listening, configuration, listeningAt: nil)
            close(file)
        }
    }

    private func expectInvalid(
        _ code: CoordinatorError.Code,
        _ configuration: CoordinatorConfiguration,
        listeningAt path: String?
    ) async {
        let error = await #expect(throws: CoordinatorError.self) {
            try await withCoordinator(hosting: [], listeningAt: path, configuration: configuration) { _ in }
        }
        #expect(error?.code == code)
    }

    @Test("SIGHUP reads the settings again; a file with a mistake changes nothing")
    func reload() async throws {
        try await withSocketPath { path in
            let file = path + ".conf"
            try write("clientRetention = 7 s\n", to: file)
            let log = path + ".log"
            try await withService(
                "COUNTER_LIMITS_OPEN_FILES=99 exec \"$0\" \"$1\" \"$2\" 2> \"$3\"",
                [Programs.path("service"), file, path, log]
            ) { service in
                // The socket is there a moment before the service accepts connections.
                try await poll { (try? await withControlClient(connectingTo: path) { _ in }) != nil }
                try await withControlClient(connectingTo: path, timeout: .seconds(60)) { control in
                    func setting(_ key: String) async throws -> String? {
                        let settings = try await control.describe("coordinator").rows.first?["settings"]?.elements
                        let found = settings?.first { $0["setting"]?.string == key }
                        guard let value = found?["value"]?.string, let source = found?["source"]?.string else {
                            return nil
                        }
                        return "\(value) \(source)"
                    }
                    #expect(try await setting("clientRetention") == "7 s \(file):1")
                    #expect(try await setting("limits.openFiles") == "99 environment COUNTER_LIMITS_OPEN_FILES")
                    #expect(try await setting("openTimeout") == "30 s default")
                    try write("\nclientRetention = 8 s\nopenTimeout = 1 s\n", to: file)
                    kill(service, SIGHUP)
                    try await poll { try await setting("clientRetention") == "8 s \(file):2" }
                    #expect(try await setting("openTimeout") == "30 s default")
                    try write("clientRetention = 9 s\nopenTimout = 1 s\n", to: file)
                    kill(service, SIGHUP)
                    try await poll {
                        try String(contentsOfFile: log, encoding: .utf8).contains("Did you mean openTimeout?")
                    }
                    #expect(try await setting("clientRetention") == "8 s \(file):2")
                }
            }
            let text = try String(contentsOfFile: log, encoding: .utf8)
            #expect(text.contains("openTimeout: 30 s → 1 s"))
            #expect(text.contains("\(file):2: openTimout"))
        }
    }

    @Test("A service whose settings have a mistake does not start, and says where it is")
    func mistake() async throws {
        try await withSocketPath { path in
            let file = path + ".conf"
            try write("\n\nlimits.memoryByte = 1 GiB\n", to: file)
            let run = try await Programs.run(Programs.path("service"), [file, path], takesErrors: true)
            #expect(run.status == 1)
            #expect(run.output.contains("\(file):3: limits.memoryByte:"), "\(run.output)")
            #expect(run.output.contains("Did you mean limits.memoryBytes?"))
        }
    }
}
#endif
