import Testing

@testable import LatticeTransport

@Suite struct MemoryPipeTests {
    private func write(_ bytes: [UInt8], to pipe: inout MemoryPipe) throws -> (Int, MemoryPipe.Consequences) {
        try write([bytes], to: &pipe)
    }

    private func write(_ pieces: [[UInt8]], to pipe: inout MemoryPipe) throws -> (Int, MemoryPipe.Consequences) {
        try withPieces(pieces) { try pipe.write($0) }
    }

    private func delivered(_ pipe: inout MemoryPipe) -> ([UInt8]?, MemoryPipe.Consequences) {
        let (delivery, consequences) = pipe.takeDelivery()
        guard case .bytes(let bytes) = delivery else { return (nil, consequences) }
        return (bytes, consequences)
    }

    private func change(
        _ pipe: inout MemoryPipe,
        _ body: (inout MemoryPipe) -> MemoryPipe.Consequences
    ) -> MemoryPipe.Consequences {
        body(&pipe)
    }

    private func takeRoom(_ pipe: inout MemoryPipe) -> Bool {
        pipe.takeRoom()
    }

    @Test func aBurstIsDeliveredOnce() throws {
        var pipe = MemoryPipe(capacity: 8)
        #expect(change(&pipe) { $0.startReader() } == [])
        #expect(try write([1, 2], to: &pipe) == (2, .deliver))
        #expect(try write([3], to: &pipe) == (1, []))
        #expect(delivered(&pipe) == ([1, 2, 3], []))
        #expect(delivered(&pipe) == (nil, []))
    }

    @Test func aFullPipeReportsRoomOnce() throws {
        var pipe = MemoryPipe(capacity: 2)
        _ = pipe.startReader()
        #expect(try write([1, 2, 3], to: &pipe) == (2, .deliver))
        #expect(!takeRoom(&pipe))
        #expect(delivered(&pipe) == ([1, 2], .notifyWriter))
        #expect(takeRoom(&pipe))
        #expect(!takeRoom(&pipe))
    }

    @Test(arguments: [
        (capacity: 5, taken: 5, room: false),
        (capacity: 4, taken: 4, room: true),
        (capacity: 3, taken: 3, room: true),
        (capacity: 2, taken: 2, room: true),
    ])
    func severalPiecesAreTakenLikeOne(capacity: Int, taken: Int, room: Bool) throws {
        var pipe = MemoryPipe(capacity: capacity)
        _ = pipe.startReader()
        #expect(try write([[1, 2], [], [3], [4, 5]], to: &pipe) == (taken, .deliver))
        #expect(delivered(&pipe) == (Array([1, 2, 3, 4, 5].prefix(taken)), room ? .notifyWriter : []))
        #expect(takeRoom(&pipe) == room)
    }

    @Test func theEndComesAfterTheBytes() throws {
        var pipe = MemoryPipe(capacity: 8)
        _ = try write([1], to: &pipe)
        #expect(change(&pipe) { $0.closeWriter() } == [])
        #expect(change(&pipe) { $0.startReader() } == .deliver)
        #expect(delivered(&pipe) == ([1], .deliver))
        guard case (.end, []) = pipe.takeDelivery() else {
            Issue.record("The end did not come.")
            return
        }
        #expect(throws: TransportError.closed) { try write([2], to: &pipe) }
    }

    @Test func aGoneReaderIsReportedToTheWaitingWriter() throws {
        var pipe = MemoryPipe(capacity: 1)
        _ = try write([1, 2], to: &pipe)
        #expect(change(&pipe) { $0.closeReader() } == .notifyWriter)
        #expect(takeRoom(&pipe))
        #expect(throws: TransportError.peerClosed()) { try write([3], to: &pipe) }
    }
}
