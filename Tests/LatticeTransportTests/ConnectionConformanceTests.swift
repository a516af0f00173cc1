import LatticeTestSupport
import LatticeTransport
import Testing

/// Tests the behaviour that all kinds of connections share.
@Suite(.timeLimit(.minutes(10))) struct ConnectionConformanceTests {
    @Test(arguments: Link.allCases)
    func carriesBytesBothWaysInOrder(link: Link) async throws {
        try await link.withEnds { first, second in
            let (here, there) = (Recorder(), Recorder())
            first.start(handler: here)
            second.start(handler: there)
            for number in 0..<200 {
                #expect(try first.write([UInt8(number)]) == 1)
                #expect(try second.write([UInt8(255 - number)]) == 1)
            }
            try await there.record.until { $0.bytes.count == 200 }
            try await here.record.until { $0.bytes.count == 200 }
            #expect(there.record.value.bytes == (0..<200).map { UInt8($0) })
            #expect(here.record.value.bytes == (0..<200).map { UInt8(255 - $0) })
            #expect(here.record.value.strayThread + there.record.value.strayThread == 0)
        }
    }

    @Test(arguments: Link.allCases)
    func deliversBytesFromBeforeTheStart(link: Link) async throws {
        try await link.withEnds { first, second in
            #expect(try first.write([1, 2, 3]) == 3)
            first.close()
            let there = Recorder()
            second.start(handler: there)
            try await there.record.until { $0.closed == 1 }
            #expect(there.record.value.bytes == [1, 2, 3])
        }
    }

    @Test(arguments: Link.allCases)
    func carriesAMessageSplitAnywhere(link: Link) async throws {
        let message = pattern(76)
        try await link.withEnds { first, second in
            let there = Recorder()
            second.start(handler: there)
            for split in 0...message.count {
                #expect(try first.write(message[..<split]) == split)
                #expect(try first.write(message[split...]) == message.count - split)
            }
            let whole = Array(repeating: message, count: message.count + 1).flatMap { $0 }
            try await there.record.until { $0.bytes.count == whole.count }
            #expect(there.record.value.bytes == whole)
        }
    }

    @Test(arguments: Link.allCases, [0, 1, 2, 255, 256, 257, 512, 1100])
    func carriesPiecesAsIfTheyWereOne(link: Link, count: Int) async throws {
        // Some of them empty, others of several bytes.
        let pieces = (0..<count).map { pattern($0 % 5) }
        let whole = pieces.flatMap { $0 }
        try await link.withEnds { first, second in
            let there = Recorder()
            second.start(handler: there)
            #expect(try first.write([1]) == 1)
            #expect(try first.write(pieces: pieces) == whole.count)
            #expect(try first.write([2]) == 1)
            try await there.record.until { $0.bytes.count == whole.count + 2 }
            #expect(there.record.value.bytes == [1] + whole + [2])
        }
    }

    @Test(arguments: Link.allCases, WriteStyle.allCases)
    func movesTenMegabytesThroughASmallRoom(link: Link, style: WriteStyle) async throws {
        let bytes = pattern(10 * 1024 * 1024)
        try await link.withEnds { first, second in
            let there = Recorder()
            let pump = Pump(bytes, style: style, closesAtEnd: true)
            pump.run(over: first)
            // The other end does not read at first, so that the room fills.
            try await pump.progress.until { $0.partialWrites > 0 }
            second.start(handler: there)
            try await there.record.until { $0.closed == 1 }
            #expect(there.record.value.bytes == bytes)
            #expect(there.record.value.error == nil)
            try await pump.progress.until { $0.closed == 1 }
            #expect(pump.progress.value.failure == nil)
        }
    }

    @Test(arguments: Link.allCases, WriteStyle.allCases)
    func aReaderThatStopsBoundsTheWriter(link: Link, style: WriteStyle) async throws {
        try await link.withEnds { first, second in
            let (here, there) = (Recorder(), Recorder())
            first.start(handler: here)
            let limit = 16 * 1024 * 1024
            let taken = try first.fill(upTo: limit, style)
            #expect(taken < limit)
            #expect(try first.write([7], style) == 0)
            #expect(there.record.value.bytes.isEmpty)
            #expect(here.record.value.writable == 0)
            second.start(handler: there)
            try await there.record.until { $0.bytes.count == taken }
            try await here.record.until { $0.writable == 1 }
            // Room is reported only once for each full write.
            #expect(try first.write([1], style) == 1)
            try await there.record.until { $0.bytes.count == taken + 1 }
            #expect(here.record.value.writable == 1)
        }
    }

    @Test(arguments: Link.allCases, [true, false])
    func closingDeliversEverythingAndNotifiesBothOnce(link: Link, firstCloses: Bool) async throws {
        let bytes = pattern(100_000)
        try await link.withEnds { first, second in
            let (closer, reader) = firstCloses ? (first, second) : (second, first)
            let (here, there) = (Recorder(), Recorder())
            reader.start(handler: there)
            closer.start(handler: here)
            #expect(try closer.write(bytes) == bytes.count)
            closer.close()
            closer.close()
            try await there.record.until { $0.closed > 0 }
            try await here.record.until { $0.closed > 0 }
            try await turn(of: first.eventLoop)
            try await turn(of: second.eventLoop)
            #expect(there.record.value.bytes == bytes)
            for record in [here.record.value, there.record.value] {
                #expect(record.closed == 1)
                #expect(record.error == nil)
                #expect(record.afterClose == 0)
            }
        }
    }

    /// Runs on the reactor after everything that was enqueued before.
    private func turn(of reactor: any EventLoop) async throws {
        let isDone = Watched(false)
        reactor.execute { isDone.change { $0 = true } }
        try await isDone.until { $0 }
    }
}
