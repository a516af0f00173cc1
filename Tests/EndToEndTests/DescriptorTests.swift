import Foundation
import LatticeTestSupport
import LatticeTransport
import Testing

#if os(Linux)
/// Tests that a lack of descriptors costs a coordinator only time.
@MainActor @Suite(.timeLimit(.minutes(10)), .serialized) struct DescriptorTests {
    // Not 1,024: with those that other tests have, they would be more than Foundation's `Process` can do with.
    @Test(
        "Descriptors are reserved for the restart of a worker, however many connections there are (F12, F72)",
        arguments: [64, 256, 640]
    )
    func connectionsLeaveRoomForTheNextWorker(limit: Int) async throws {
        try await withSocketPath { path in
            let worker = Programs.path("faulty")
            try await FaultyCoordinator.with(listeningAt: path, worker: worker, after: "ulimit -n \(limit)") {
                let first = try await $0.worker()
                try $0.say("add")
                try await $0.until("finished sum 1")
                let connections = try await Self.connect(limit + 20, to: path)
                kill(first, SIGKILL)
                try $0.say("add")
                try await $0.until("finished sum 2")
                try $0.say("worker")
                let second = try await $0.worker(number: 2)
                #expect(second != first)
                try $0.say("stop")
                try await $0.until("stopped")
                for connection in connections { try connection.close() }
            }
        }
    }

    /// Connections that say nothing.
    private static func connect(_ count: Int, to path: String) async throws -> [FileHandle] {
        try await onAThread {
            var connections: [FileHandle] = []
            for _ in 0..<count {
                let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                try #require(descriptor >= 0)
                connections.append(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
                // Where the coordinator's queue is full, connecting waits, and not for ever.
                var limit = timeval(tv_sec: 30, tv_usec: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
                let result = withUnsafePointer(to: &address) { address in
                    address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                    }
                }
                try #require(result == 0)
            }
            return connections
        }
    }

    @Test("A start that a limit prevents is retried outside the restart budget until the limit is gone (F72)")
    func aLackPasses() async throws {
        try await withSocketPath { path in
            let worker = Programs.path("faulty")
            try await FaultyCoordinator.with(listeningAt: path, worker: worker) {
                let first = try await $0.worker()
                // Room for one or two and not for a start. Without any, libdispatch would end the program as soon as
                // its tasks are kept waiting: it looks at its threads by way of files.
                try await Self.limit($0.processID, openFiles: Self.firstFreeNumber(in: $0.processID))
                kill(first, SIGKILL)
                // The event is waiting now, for as long as there is no room.
                try $0.say("add")
                try $0.say("lack")
                try await $0.until("lacking")
                try await Self.limit($0.processID, openFiles: 1024)
                try await $0.until("finished sum 1")
            }
        }
    }

    private static func firstFreeNumber(in process: Int32) throws -> Int {
        let taken = Set(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").compactMap(Int.init))
        return try #require((0...taken.count).first { !taken.contains($0) })
    }

    /// Changes the soft limit of another process.
    private static func limit(_ process: Int32, openFiles: Int) async throws {
        let run = try await Programs.run("/usr/bin/env", ["prlimit", "--pid", "\(process)", "--nofile=\(openFiles):"])
        #expect(run.status == 0)
    }
}
#endif
