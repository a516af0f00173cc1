// Tests of process-wide resources (descriptors, user) run in separate processes. Linux lists descriptors in /proc.
#if os(Linux)

import CLatticeSystem
import Dispatch
import Glibc
import LatticeTestSupport
import LatticeTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ProcessWideTests {
    @Test("A thousand connections leave no descriptor (F62)")
    func aThousandConnectionsLeaveNoDescriptor() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                try await withReactor { reactor in
                    let path = try SocketPath(directory + "/s")
                    let served = Watched(0)
                    let listener = try SocketListener(path: path, reactor: reactor) { connection in
                        let handler = Recorder { connection, bytes in _ = try? connection.write(bytes) }
                        connection.start(handler: handler)
                        served.change { $0 += 1 }
                    }
                    let before = sockets()
                    for number in 1...1000 {
                        let client = try SocketConnection.connect(to: path, reactor: reactor)
                        let here = Recorder { connection, _ in connection.close() }
                        // Every third is dropped without a start.
                        if number % 3 == 0 { continue }
                        client.start(handler: here)
                        _ = try client.write([1])
                        try await here.record.until { $0.closed == 1 }
                    }
                    try await served.until { $0 == 1000 }
                    // The server's ends close when the ends of their streams have been read.
                    while sockets() > before { await Task.yield() }
                    precondition(sockets() == before)
                    listener.close()
                }
            }
        }
    }

    @Test("Running out of descriptors pauses accepting and does not spin (F12)")
    func runningOutOfDescriptorsPausesAcceptingAndDoesNotSpin() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                try await withReactor { reactor in
                    let accepted = Watched<[SocketConnection]>([])
                    let path = try SocketPath(directory + "/s")
                    let listener = try SocketListener(path: path, reactor: reactor) { connection in
                        accepted.change { $0.append(connection) }
                    }
                    // The thread pool opens a descriptor for its first timer, and ends the process if it cannot.
                    await withCheckedContinuation { timer in
                        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(1)) { timer.resume() }
                    }
                    // Held up until the client has its descriptor and none is left to accept with.
                    let gate = Watched(false)
                    reactor.execute { while !gate.value { sched_yield() } }
                    let client = try SocketConnection.connect(to: path, reactor: reactor)
                    var limit = rlimit()
                    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    limit.rlim_cur = 256
                    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                    var clients = [client]
                    var fillers: [Int32] = []
                    func takeAll() {
                        while case let filler = dup(0), filler >= 0 { fillers.append(filler) }
                    }
                    takeAll()
                    let start = ContinuousClock.now
                    gate.change { $0 = true }
                    // Without suspending: the thread pool looks into /proc now and then while it has work, and ends the
                    // process if it cannot.
                    while listener.acceptPauses < 3 {
                        takeAll()
                        // Other code in this process released a descriptor, and the listener took it first. The test
                        // tries again.
                        if accepted.value.count == clients.count {
                            close(fillers.removeLast())
                            if let next = try? SocketConnection.connect(to: path, reactor: reactor) {
                                clients.append(next)
                            }
                        }
                        sched_yield()
                    }
                    // Pauses of 100 ms; a loop that spins would come to thousands. Counted before the time is taken.
                    let pauses = listener.acceptPauses
                    let longest = start.duration(to: .now) / .milliseconds(100) + 2
                    precondition(Double(pauses) <= longest)
                    for filler in fillers { close(filler) }
                    let connected = clients.count
                    try await accepted.until { $0.count == connected }
                    for client in clients { client.close() }
                    listener.close()
                }
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can act as two users."))
    func turnsAwayWhoeverIsAnotherUser() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                try await withReactor { reactor in
                    chmod(directory, 0o711)
                    let path = try SocketPath(directory + "/s")
                    let (accepted, foreign) = (Watched(0), Watched(0))
                    let listener = try SocketListener(
                        path: path,
                        reactor: reactor,
                        onForeign: { connection in
                            foreign.change { $0 += 1 }
                            connection.close()
                        },
                        onConnection: { _ in accepted.change { $0 += 1 } }
                    )
                    chmod(path.string, 0o666)
                    // Held up, so that the user has changed back by the time it accepts.
                    let gate = Watched(false)
                    reactor.execute { while !gate.value { sched_yield() } }
                    seteuid(12_345)
                    let client = try SocketConnection.connect(to: path, reactor: reactor)
                    seteuid(0)
                    let here = Recorder()
                    client.start(handler: here)
                    gate.change { $0 = true }
                    try await here.record.until { $0.closed == 1 }
                    precondition(foreign.value == 1)
                    precondition(accepted.value == 0)
                    listener.close()
                }
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "Only root can act as two users."))
    func doesNotTalkToAServerOfAnotherUser() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                try await withReactor { reactor in
                    chown(directory, 12_345, 12_345)
                    seteuid(12_345)
                    let path = try SocketPath(directory + "/s")
                    let listener = try SocketListener(path: path, reactor: reactor) { $0.close() }
                    seteuid(0)
                    do throws(TransportError) {
                        _ = try SocketConnection.connect(to: path, reactor: reactor)
                        preconditionFailure("It connected.")
                    } catch {
                        precondition(error.code == .wrongUser)
                        precondition(error.message.contains("user 12345, not to user 0"))
                    }
                    listener.close()
                }
            }
        }
    }

    @Test("Writing to a peer that is gone raises no signal (F40)")
    func writingToAPeerThatIsGoneRaisesNoSignal() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            try await withReactor { reactor in
                let (local, remote) = try SocketConnection.pair(reactor: reactor)
                remote.close()
                do throws(TransportError) {
                    _ = try local.write([1])
                    preconditionFailure("The peer was not there to read.")
                } catch {
                    precondition(error.code == .peerClosed)
                }
            }
        }
    }

    @Test func aWorkerMovesItsEndAwayFromStandardInput() async throws {
        await #expect(processExitsWith: .success) {
            try await withReactor { reactor in
                let (local, remote) = try SocketConnection.pair(reactor: reactor)
                dup2(remote.number, 0)
                remote.close()
                let worker = try SocketConnection(adopting: SocketConnection.takeStandardInput(), reactor: reactor)
                let here = Recorder()
                local.start(handler: here)
                worker.start(handler: Discard())
                var byte: UInt8 = 0
                precondition(read(0, &byte, 1) == 0)
                let written = try worker.write([8])
                precondition(written == 1)
                worker.close()
                // Its end is the only one: nothing at standard input keeps the stream open.
                try await here.record.until { $0.closed == 1 }
                precondition(here.record.value.bytes == [8])
                do throws(TransportError) {
                    _ = try SocketConnection.takeStandardInput()
                    preconditionFailure("Nothing is there any more.")
                } catch {
                    precondition(error.code == .invalidDescriptor)
                }
            }
        }
    }

    @Test func descriptorsAreNotInherited() async throws {
        await #expect(processExitsWith: .success) {
            try await withTemporaryDirectory { directory in
                let before = Set(openDescriptors())
                try await withReactor { reactor in
                    let accepted = Watched<SocketConnection?>(nil)
                    let path = try SocketPath(directory + "/s")
                    let listener = try SocketListener(path: path, reactor: reactor) { connection in
                        accepted.change { $0 = connection }
                    }
                    let client = try SocketConnection.connect(to: path, reactor: reactor)
                    let pair = try SocketConnection.pair(reactor: reactor)
                    try await accepted.until { $0 != nil }
                    let ours = openDescriptors().filter { !before.contains($0) }
                    precondition(ours.count >= 7)
                    for descriptor in ours { precondition(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
                    withExtendedLifetime((client, pair)) { listener.close() }
                }
            }
        }
    }
}

/// Returns the open descriptors, without the one that lists them.
private func openDescriptors() -> [Int32] {
    guard let listing = opendir("/proc/self/fd") else { return [] }
    defer { closedir(listing) }
    var found: [Int32] = []
    while let entry = readdir(listing) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let number = Int32(name), number != dirfd(listing) { found.append(number) }
    }
    return found
}

/// Returns the number of open sockets. Other descriptors come and go with the thread pool and its timers.
private func sockets() -> Int {
    openDescriptors().count { descriptor in
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    }
}

#endif
