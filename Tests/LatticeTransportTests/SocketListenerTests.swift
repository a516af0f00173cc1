import CLatticeSystem
import LatticeTestSupport
import LatticeTransport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite(.timeLimit(.minutes(10))) struct SocketListenerTests {
    private func serve(_ path: String, _ reactor: Reactor) throws(TransportError) -> SocketListener {
        try SocketListener(path: SocketPath(path), reactor: reactor) { $0.close() }
    }

    /// The error of listening at `path`, which must fail.
    private func refusal(_ path: String, _ reactor: Reactor) -> TransportError? {
        #expect(throws: TransportError.self) { try serve(path, reactor) }
    }

    private func connectError(_ path: String, _ reactor: Reactor) -> TransportError? {
        #expect(throws: TransportError.self) {
            _ = try SocketConnection.connect(to: SocketPath(path), reactor: reactor)
        }
    }

    private func withPlace(_ body: (String, Reactor) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            try await withReactor { reactor in try await body(directory, reactor) }
        }
    }

    @Test func makesAPrivateDirectoryAndSocketAndRemovesTheSocket() async throws {
        try await withPlace { directory, reactor in
            let path = directory + "/run/s"
            let listener = try serve(path, reactor)
            #expect(permissions(directory + "/run") == 0o700)
            #expect(permissions(path) == 0o600)
            listener.close()
            listener.close()
            #expect(!exists(path))
            #expect(!exists(path + ".lock"))
            // The place is free at once.
            try serve(path, reactor).close()
        }
    }

    @Test func knowsItsPeers() async throws {
        try await withPlace { directory, reactor in
            let accepted = Watched<SocketConnection?>(nil)
            let path = try SocketPath(directory + "/s")
            let listener = try SocketListener(path: path, reactor: reactor) { connection in
                accepted.change { $0 = connection }
            }
            defer { listener.close() }
            let client = try SocketConnection.connect(to: path, reactor: reactor)
            try await accepted.until { $0 != nil }
            let ourselves = Peer.local(.init(processID: getpid(), userID: geteuid(), groupID: getegid()))
            #expect(client.peer == ourselves)
            #expect(accepted.value?.peer == ourselves)
        }
    }

    /// Counts what is accepted in one tick of the event loop.
    private final class Turns: TickObserver {
        let accepted = Watched<[Int]>([])
        private let current = Watched(0)

        /// Counts an accepted connection. Call it on the event loop's thread.
        func accept(on reactor: Reactor) {
            if current.value == 0 { reactor.atEndOfTick(self) }
            current.change { $0 += 1 }
        }

        func tickEnded() {
            let count = current.value
            current.change { $0 = 0 }
            accepted.change { $0.append(count) }
        }
    }

    @Test("A turn accepts at most eight connections, so that other work on the thread gets its turn")
    func acceptsSomeInEachTurn() async throws {
        try await withPlace { directory, reactor in
            let turns = Turns()
            let path = try SocketPath(directory + "/s")
            let listener = try SocketListener(path: path, reactor: reactor) { connection in
                turns.accept(on: reactor)
                connection.close()
            }
            defer { listener.close() }
            // While the clients connect, the thread accepts no connection, because it is busy with them.
            let clients = Watched<[SocketConnection]>([])
            reactor.execute {
                for _ in 0..<20 {
                    guard let client = try? SocketConnection.connect(to: path, reactor: reactor) else { continue }
                    clients.change { $0.append(client) }
                }
            }
            try await turns.accepted.until { $0.reduce(0, +) == 20 }
            #expect(clients.value.count == 20)
            #expect(turns.accepted.value == [8, 8, 4])
        }
    }

    @Test("A turn reads at most 16 KiB of a flood, so that other connections are read in each turn (F84)")
    func readsSomeInEachTurn() async throws {
        try await withPlace { directory, reactor in
            let path = try SocketPath(directory + "/s")
            let largest = Watched((flood: 0, bytes: 0))
            let recorder = Recorder { _, bytes in
                largest.change { $0 = (max($0.flood, bytes.count), $0.bytes + bytes.count) }
            }
            let listener = try SocketListener(path: path, reactor: reactor) { $0.start(handler: recorder) }
            defer { listener.close() }
            let client = try SocketConnection.connect(to: path, reactor: reactor)
            // In one turn of the thread that reads.
            let written = Watched(0)
            reactor.execute {
                let bytes = [UInt8](repeating: 1, count: 100_000)
                let count = bytes.withUnsafeBytes { try? client.write($0) }
                written.change { $0 = count ?? 0 }
            }
            try await written.until { $0 > 16 * 1024 }
            let reached = try await largest.until { $0.bytes == written.value }
            #expect(reached.flood == 16 * 1024)
            client.close()
        }
    }

    @Test func handsOverConnectionsOfOtherUsersSeparately() async throws {
        try await withPlace { directory, reactor in
            let foreign = Watched<[UInt32?]>([])
            let path = try SocketPath(directory + "/s")
            // All tests run as one user, so the credentials are invented. `unknown` stands for credentials that the
            // system did not report.
            let next = Watched<[Peer]>([.unknown, .local(.init(processID: 1, userID: 12_345, groupID: 1))])
            let listener = try SocketListener(
                path: path,
                reactor: reactor,
                identify: { _ in
                    defer { next.change { $0.removeLast() } }
                    return next.value.last ?? .unknown
                },
                onForeign: { connection in
                    let user = connection.peer.userID
                    foreign.change { $0.append(user) }
                    connection.close()
                },
                onConnection: { _ in Issue.record("it is another user's") }
            )
            defer { listener.close() }
            for count in 1...2 {
                _ = try SocketConnection.connect(to: path, reactor: reactor)
                try await foreign.until { $0.count == count }
            }
            #expect(foreign.value == [12_345, nil])
        }
    }

    @Test("A stale socket is replaced, and a live one is refused (F29, F30)")
    func replacesAStaleSocketAndRefusesALiveOne() async throws {
        try await withPlace { directory, reactor in
            let path = directory + "/s"
            try makeSocketFile(path, isListening: false)
            let stale = connectError(path, reactor)
            #expect(stale?.code == .refused)
            #expect(stale?.message.contains(path) == true)

            let listener = try serve(path, reactor)
            let live = refusal(path, reactor)
            #expect(live?.code == .addressInUse)
            #expect(live?.message.contains(path) == true)
            listener.close()
            let missing = connectError(path, reactor)
            #expect(missing?.code == .notFound)
            #expect(missing?.message.contains(path) == true)
        }
    }

    @Test func refusesAPathWhereAProgramServesThatKnowsNoLock() async throws {
        try await withPlace { directory, reactor in
            let path = directory + "/s"
            let socket = try makeSocketFile(path, isListening: true)
            #expect(refusal(path, reactor)?.code == .addressInUse)
            close(socket)
            try serve(path, reactor).close()
        }
    }

    @Test("Of many listeners that start at once, one serves (F45)") func ofManyThatStartAtOnceOneServes() async throws {
        try await withPlace { directory, reactor in
            let path = directory + "/s"
            for _ in 0..<20 {
                try makeSocketFile(path, isListening: false)
                let listeners = await withTaskGroup(of: SocketListener?.self) { group in
                    for _ in 0..<8 { group.addTask { try? serve(path, reactor) } }
                    return await group.reduce(into: [SocketListener]()) { all, one in
                        if let one { all.append(one) }
                    }
                }
                #expect(listeners.count == 1)
                _ = try SocketConnection.connect(to: SocketPath(path), reactor: reactor)
                listeners.first?.close()
            }
        }
    }

    @Test func leavesTheSocketOfASuccessorAlone() async throws {
        try await withPlace { directory, reactor in
            let path = directory + "/s"
            let listener = try serve(path, reactor)
            unlink(path)
            try makeSocketFile(path, isListening: false)
            listener.close()
            #expect(exists(path))
        }
    }

    @Test("A file that is no socket is refused (F29)") func refusesWhatIsNoSocket() async throws {
        try await withPlace { directory, reactor in
            let file = directory + "/file"
            close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
            let link = directory + "/link"
            symlink(file, link)
            for (path, reason) in [(file, "is not a socket"), (link, "is a symbolic link")] {
                let error = refusal(path, reactor)
                #expect(error?.code == .unsafePath)
                #expect(error?.message == "\(path) \(reason). Remove it or choose another socket path.")
                #expect(!exists(path + ".lock"))
            }
            #expect(exists(file))
        }
    }

    @Test func refusesALockThatIsNoFile() async throws {
        try await withPlace { directory, reactor in
            let path = directory + "/s"
            symlink(directory + "/elsewhere", path + ".lock")
            let error = refusal(path, reactor)
            #expect(
                error?.message == "\(path).lock is not a regular file. Remove it or choose another socket path."
            )
            #expect(!exists(directory + "/elsewhere"))
        }
    }

    @Test("A directory that others control is refused (F29)") func refusesADirectoryThatOthersControl() async throws {
        try await withPlace { directory, reactor in
            let open = directory + "/open"
            mkdir(open, 0o700)
            chmod(open, 0o770)
            #expect(
                refusal(open + "/s", reactor)?.message == "\(open) can be changed by other users. "
                    + "Make it private (chmod 700) or give a socket path in another directory."
            )
            chmod(open, 0o1777)
            try serve(open + "/s", reactor).close()
            let link = directory + "/link"
            symlink(open, link)
            #expect(
                refusal(link + "/s", reactor)?.message
                    == "\(link) is a symbolic link. Give a socket path in a real directory of your own."
            )
            let missing = refusal(directory + "/a/b/s", reactor)
            #expect(missing?.code == .system)
            #expect(missing?.errno == ENOENT)
            #expect(missing?.message.contains("\(directory)/a/b:") == true)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can give a directory away."))
    func refusesADirectoryOfAnotherUser() async throws {
        try await withPlace { directory, reactor in
            let foreign = directory + "/foreign"
            mkdir(foreign, 0o700)
            chown(foreign, 12_345, 12_345)
            let error = refusal(foreign + "/s", reactor)
            #expect(error?.code == .unsafePath)
            #expect(
                error?.message
                    == "\(foreign) belongs to user 12345. Give a socket path in a directory of your own."
            )
        }
    }
}
