import CLatticeSystem
import LatticeTestSupport
import LatticeTransport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tests a listener whose files are deleted or replaced.
@Suite(.timeLimit(.minutes(10))) struct SocketListenerPathTests {
    /// A listener that also checks its path on request. Its own periodic checks do not affect the tests.
    private final class Serving: Sendable {
        let listener: SocketListener
        let accepted: Watched<Int>
        let events: Watched<[PathEvent]>
        private let reactor: Reactor

        init(_ path: String, _ reactor: Reactor) throws(TransportError) {
            let (accepted, events) = (Watched(0), Watched<[PathEvent]>([]))
            listener = try SocketListener(
                path: SocketPath(path),
                reactor: reactor,
                onPathEvent: { said in events.change { $0.append(said) } },
                onConnection: { connection in
                    connection.start(handler: Recorder { connection, bytes in _ = try? connection.write(bytes) })
                    accepted.change { $0 += 1 }
                }
            )
            (self.accepted, self.events, self.reactor) = (accepted, events, reactor)
        }

        /// Looks after something was done, and not in the middle of it.
        @discardableResult
        func look<Result: Sendable>(after change: @escaping @Sendable () throws -> Result) async throws -> Result {
            try await withCheckedThrowingContinuation { done in
                reactor.execute { [listener] in
                    let result = Swift.Result { try change() }
                    listener.lookAfterPath()
                    done.resume(with: result)
                }
            }
        }

        func look() async throws { try await look {} }
    }

    private func withServing(_ body: (String, Reactor, Serving) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await withReactor { reactor in
                let path = directory + "/run/s"
                let serving = try Serving(path, reactor)
                try await body(path, reactor, serving)
                serving.listener.close()
            }
        }
    }

    private func connect(_ path: String, _ reactor: Reactor) throws -> SocketConnection {
        try SocketConnection.connect(to: SocketPath(path), reactor: reactor)
    }

    /// Whether what is written comes back.
    private func echoes(_ connection: SocketConnection, _ recorder: Recorder, _ byte: UInt8) async throws {
        _ = try connection.write([byte])
        try await recorder.record.until { $0.bytes.last == byte }
    }

    /// A change to the files of `path`, and the files that are then created again.
    enum Deletion: CaseIterable, Sendable {
        case socket, socketMoved, socketReplaced, lock, lockReplaced, both, folder

        func happen(to path: String) throws {
            let folder = String(path.dropLast(2))
            switch self {
            case .socket: unlink(path)
            case .socketMoved: rename(path, path + ".moved")
            case .socketReplaced: try makeSocketFile(path, isListening: false)
            case .lock: unlink(path + ".lock")
            case .lockReplaced:
                unlink(path + ".lock")
                close(open(path + ".lock", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            case .both, .folder:
                unlink(path)
                unlink(path + ".lock")
                if self == .folder { rmdir(folder) }
            }
        }

        var parts: SocketParts {
            switch self {
            case .socket, .socketMoved, .socketReplaced: .socket
            case .lock, .lockReplaced: .lock
            case .both, .folder: [.socket, .lock]
            }
        }
    }

    @Test("Deleted or replaced files are created again, and connections continue (F75)", arguments: Deletion.allCases)
    func makesAgainWhatIsGone(deletion: Deletion) async throws {
        try await withServing { path, reactor, serving in
            let (early, recorder) = (try connect(path, reactor), Recorder())
            early.start(handler: recorder)
            try await echoes(early, recorder, 1)
            try await serving.look { try deletion.happen(to: path) }
            #expect(serving.events.value == [.restored(deletion.parts)])
            #expect(permissions(path) == 0o600)
            #expect(permissions(String(path.dropLast(2))) == 0o700)
            _ = try connect(path, reactor)
            try await serving.accepted.until { $0 == 2 }
            try await echoes(early, recorder, 2)
            // The lock is held again.
            let second = #expect(throws: TransportError.self) { try Serving(path, reactor) }
            #expect(second?.code == .addressInUse)
            try await serving.look()
            #expect(serving.events.value.count == 1)
            serving.listener.close()
            #expect(!exists(path))
            #expect(!exists(path + ".lock"))
            unlink(path + ".moved")
        }
    }

    @Test("A listener notices lost files by itself, within seconds (F75)") func findsOutByItself() async throws {
        try await withServing { path, reactor, serving in
            unlink(path)
            try await serving.events.until { !$0.isEmpty }
            _ = try connect(path, reactor)
            try await serving.accepted.until { $0 == 1 }
        }
    }

    @Test("A client that connected before the socket was deleted is not lost (F75)")
    func takesInWhoWaits() async throws {
        try await withServing { path, reactor, serving in
            let recorder = Recorder()
            // All before the reactor looks at its sockets.
            try await serving.look {
                let waiting = try SocketConnection.connect(to: SocketPath(path), reactor: reactor)
                waiting.start(handler: recorder)
                _ = try waiting.write([7])
                unlink(path)
            }
            try await recorder.record.until { $0.bytes == [7] }
        }
    }

    @Test("A path that another listener took is left to it, also at the end, until it is free again (F75)")
    func leavesThePathToAnother() async throws {
        try await withServing { path, reactor, serving in
            let (early, recorder) = (try connect(path, reactor), Recorder())
            early.start(handler: recorder)
            let other = try await serving.look {
                try Deletion.both.happen(to: path)
                return try Serving(path, reactor)
            }
            for _ in 1...3 { try await serving.look() }
            let lost = try #require(serving.events.value.first)
            guard case .lost(let error) = lost else { return #expect(Bool(false), "\(lost)") }
            #expect(error.code == .addressInUse)
            #expect(error.message.contains(path))
            #expect(serving.events.value.count == 1)
            #expect(other.events.value.isEmpty)
            _ = try connect(path, reactor)
            try await other.accepted.until { $0 == 1 }
            try await echoes(early, recorder, 1)

            other.listener.close()
            try await serving.look()
            #expect(serving.events.value.last == .regained)
            _ = try connect(path, reactor)
            try await serving.accepted.until { $0 == 2 }
        }
    }

    @Test("A listener that ends removes only its own files (F75)")
    func removesOnlyItsOwn() async throws {
        try await withServing { path, reactor, serving in
            let other = try await serving.look {
                try Deletion.both.happen(to: path)
                return try Serving(path, reactor)
            }
            serving.listener.close()
            #expect(exists(path))
            #expect(exists(path + ".lock"))
            try await serving.look()
            try await other.look()
            #expect(other.events.value.isEmpty)
            other.listener.close()
            #expect(!exists(path + ".lock"))
        }
    }

    @Test("A program without a lock, or a file that is no socket, is left alone at the path (F75)")
    func leavesWhatIsInTheWay() async throws {
        try await withServing { path, reactor, serving in
            let foreign = try await serving.look { try makeSocketFile(path, isListening: true) }
            try await serving.look()
            guard case .lost(let live)? = serving.events.value.last else { return #expect(Bool(false)) }
            #expect(live.code == .addressInUse)
            try await serving.look {
                close(foreign)
                unlink(path)
                close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            }
            guard case .lost(let file)? = serving.events.value.last else { return #expect(Bool(false)) }
            #expect(file.code == .unsafePath)
            #expect(serving.events.value.count == 2)
            #expect(exists(path))
            try await serving.look { unlink(path) }
            #expect(serving.events.value.last == .regained)
        }
    }

    @Test("A listener waits for a newcomer that holds the lock for a moment (F75)")
    func waitsForANewcomer() async throws {
        try await withServing { path, reactor, serving in
            try await serving.look {
                try Deletion.lock.happen(to: path)
                // A newcomer takes the lock before it finds that the socket is served.
                let newcomer = open(path + ".lock", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
                try #require(flock(newcomer, LOCK_EX | LOCK_NB) == 0)
                serving.listener.lookAfterPath()
                #expect(serving.events.value == [])
                unlink(path + ".lock")
                close(newcomer)
            }
            #expect(serving.events.value == [.restored(.lock)])
        }
    }
}
