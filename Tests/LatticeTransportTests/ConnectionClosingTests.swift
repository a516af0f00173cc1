import CLatticeSystem
import LatticeTestSupport
import LatticeTransport
import Testing

/// The corners of closing, over every kind of connection.
@Suite(.timeLimit(.minutes(10))) struct ConnectionClosingTests {
    @Test(arguments: Link.allCases, WriteStyle.allCases)
    func writingAfterCloseThrows(link: Link, style: WriteStyle) async throws {
        try await link.withEnds { first, _ in
            first.close()
            let nothing = try first.write([], style)
            #expect(nothing == 0)
            let error = #expect(throws: TransportError.self) { try first.write([1], style) }
            #expect(error?.code == .closed)
        }
    }

    @Test(arguments: Link.allCases, WriteStyle.allCases)
    func writingToAPeerThatIsGoneThrowsAndItsBytesStillCome(link: Link, style: WriteStyle) async throws {
        try await link.withEnds { first, second in
            let (here, there) = (Recorder(), Recorder())
            second.start(handler: there)
            #expect(try second.write([4, 5]) == 2)
            second.close()
            try await there.record.until { $0.closed == 1 }
            // On slow links the writer accepts some bytes that are never read.
            let error = #expect(throws: TransportError.self) {
                repeat { _ = try first.write([1], style) } while link == .messages
            }
            #expect(error?.code == .peerClosed)
            first.start(handler: here)
            try await here.record.until { $0.closed == 1 }
            #expect(here.record.value.bytes == [4, 5])
        }
    }

    @Test(arguments: Link.allCases)
    func closingInsideADeliveryEndsDelivery(link: Link) async throws {
        try await link.withEnds { first, second in
            let there = Recorder { connection, _ in connection.close() }
            let pump = Pump(pattern(2 * 1024 * 1024))
            second.start(handler: there)
            pump.run(over: first)
            try await there.record.until { $0.closed == 1 }
            try await pump.progress.until { $0.closed == 1 }
            #expect(there.record.value.deliveries == 1)
            #expect(there.record.value.closed == 1)
            #expect(there.record.value.afterClose == 0)
        }
    }

    @Test(arguments: Link.allCases)
    func startingAClosedConnectionReportsItsEnd(link: Link) async throws {
        try await link.withEnds { first, _ in
            first.close()
            let here = Recorder()
            first.start(handler: here)
            try await here.record.until { $0.closed == 1 }
            #expect(here.record.value.error == nil)
        }
    }

    @Test(arguments: Link.allCases)
    func aWriterThatWaitsForRoomIsNotifiedOfThePeersEnd(link: Link) async throws {
        try await link.withEnds { first, second in
            let here = Recorder()
            first.start(handler: here)
            #expect(try first.fill(upTo: 16 * 1024 * 1024) > 0)
            second.close()
            try await here.record.until { $0.closed == 1 }
        }
    }

    @Test(
        "A peer that closes one direction closes both, and its earlier bytes arrive (F41)",
        arguments: [Int32(SHUT_WR), Int32(SHUT_RDWR)]
    )
    func halfClosed(direction: Int32) async throws {
        try await withReactor { reactor in
            let (here, remote) = try SocketConnection.pair(reactor: reactor)
            let recorder = Recorder()
            here.start(handler: recorder)
            var bytes: [UInt8] = [1, 2, 3]
            #expect(send(remote.number, bytes, bytes.count, 0) == 3)
            #expect(shutdown(remote.number, direction) == 0)
            try await recorder.record.until { $0.closed == 1 }
            #expect(recorder.record.value.bytes == [1, 2, 3])
            #expect(recorder.record.value.error == nil)
            #expect(throws: TransportError.self) { try here.write([1]) }
            // The other side, which only reads now, is notified of the end too.
            #expect(recv(remote.number, &bytes, bytes.count, 0) == 0)
        }
    }

    @Test("A peer that no longer reads counts as gone (F41)")
    func halfClosedForReading() async throws {
        try await withReactor { reactor in
            let (here, remote) = try SocketConnection.pair(reactor: reactor)
            let recorder = Recorder()
            here.start(handler: recorder)
            #expect(shutdown(remote.number, Int32(SHUT_RD)) == 0)
            let error = #expect(throws: TransportError.self) { while true { _ = try here.write([1]) } }
            #expect(error?.code == .peerClosed)
            here.close()
            try await recorder.record.until { $0.closed == 1 }
        }
    }

    @Test(arguments: Link.allCases)
    func closingWhileAnotherThreadWritesIsSafe(link: Link) async throws {
        for _ in 0..<20 {
            try await link.withEnds { first, second in
                let (here, there) = (Recorder(), Recorder())
                first.start(handler: here)
                second.start(handler: there)
                let writes = Watched(0)
                let failure = Watched<TransportError.Code?>(nil)
                // The work runs on the event loop's thread and not on one that tasks share, because it spins.
                second.eventLoop.execute {
                    do throws(TransportError) {
                        while true {
                            _ = try first.write([1])
                            writes.change { $0 += 1 }
                        }
                    } catch {
                        failure.change { $0 = error.code }
                    }
                }
                try await writes.until { $0 > 0 }
                first.close()
                try await failure.until { $0 != nil }
                #expect(failure.value == .closed)
                try await here.record.until { $0.closed == 1 }
                try await there.record.until { $0.closed == 1 }
            }
        }
    }

    @Test(arguments: Link.allCases)
    func aReactorThatStopsClosesItsConnections(link: Link) async throws {
        try await link.withEnds { first, second in
            let (here, there) = (Recorder(), Recorder())
            first.start(handler: here)
            second.start(handler: there)
            #expect(try first.write([9]) == 1)
            try await there.record.until { $0.bytes == [9] }
            let reactor = try #require(first.eventLoop as? Reactor)
            reactor.stop()
            await reactor.stopped()
            #expect(here.record.value.closed == 1)
            try await there.record.until { $0.closed == 1 }
            #expect(throws: TransportError.self) { try first.write([1]) }
        }
    }
}
