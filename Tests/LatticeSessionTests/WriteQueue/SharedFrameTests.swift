import LatticeCore
import LatticeSession
import LatticeTestSupport
import LatticeWire
import Testing

/// Tests a queue with frames that are shared by many receivers.
struct SharedFrameTests {
    /// A frame that is added to a queue.
    enum Addition: CustomTestStringConvertible, Sendable {
        private static let frames = (0...3).map { SharedFrameTests.frame(1_000, on: $0) }

        case event
        case control
        /// A state of 1,000 bytes.
        case shared(on: UInt32)
        case last

        var testDescription: String {
            switch self {
            case .event: "event"
            case .control: "control"
            case .shared(let channel): "shared \(channel)"
            case .last: "last"
            }
        }

        func add(to queue: inout WriteQueue) {
            switch self {
            case .event: queue.addEvent(1, action: [1, 2, 3], on: 1)
            case .control: queue.addControl(CancelMessage(event: 1), on: 1)
            case .shared(let channel): queue.addData(Self.frames[Int(channel)], on: channel)
            case .last: queue.addLast(Goodbye(code: .normal, reason: "done"))
            }
        }
    }

    private static let mixtures: [(additions: [Addition], spoken: [String])] = [
        ([.shared(on: 1)], ["state on 1"]),
        ([.shared(on: 1), .shared(on: 2)], ["state on 1", "state on 2"]),
        ([.event, .shared(on: 1)], ["event on 1", "state on 1"]),
        ([.shared(on: 1), .event], ["state on 1", "event on 1"]),
        ([.shared(on: 1), .control, .shared(on: 1)], ["state on 1", "cancel on 1", "state on 1"]),
        (
            [.last, .control, .shared(on: 3), .shared(on: 2), .event, .event, .shared(on: 1), .control],
            [
                "cancel on 1", "state on 3", "state on 2", "event on 1", "event on 1", "state on 1", "cancel on 1",
                "goodbye on 0",
            ]
        ),
    ]

    /// Returns the frame of a state with this many bytes.
    static func frame(_ count: Int, revision: UInt64 = 1, on channel: UInt32 = 1) -> SharedFrame {
        var bytes: [UInt8] = []
        let state = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(revision)) }
        StateMessage.appendFrame(to: &bytes, channel: channel, revision: revision, applied: 0, state: state)
        return SharedFrame(bytes)
    }

    @Test(arguments: mixtures)
    func framesGoOutInOrder(additions: [Addition], spoken: [String]) throws {
        var queue = WriteQueue()
        for addition in additions { addition.add(to: &queue) }
        let count = queue.count
        let bytes = queue.takeAllBytes()
        #expect(bytes.count == count)
        #expect(try WrittenFrame.all(in: bytes).map(\.spoken) == spoken)
        #expect(queue.isEmpty)
    }

    /// Inside bytes of its own, inside a shared frame, and at each border.
    @Test(arguments: mixtures)
    func aPartMayEndAnywhere(additions: [Addition], spoken: [String]) throws {
        var whole = WriteQueue()
        for addition in additions { addition.add(to: &whole) }
        let expected = whole.takeAllBytes()
        for part in 0..<expected.count {
            var queue = WriteQueue()
            for addition in additions { addition.add(to: &queue) }
            let batch = try queue.batch()
            let goesOn = queue.finishWriting(part)
            #expect(!goesOn)
            let none = queue.startWriting()
            #expect(none == nil)
            #expect(queue.count == expected.count - part)
            let isWritable = queue.connectionIsWritable()
            #expect(isWritable)
            #expect(Array(batch.bytes.prefix(part)) + queue.takeAllBytes() == expected)
            #expect(queue.isEmpty)
        }
    }

    @Test func aByteAtATimeGoesOutWhole() throws {
        var whole = WriteQueue()
        var queue = WriteQueue()
        for addition in [Addition.event, .shared(on: 1), .shared(on: 2), .control] {
            addition.add(to: &whole)
            addition.add(to: &queue)
        }
        var bytes: [UInt8] = []
        while let batch = queue.startWriting() {
            bytes += batch.bytes.prefix(1)
            _ = queue.finishWriting(1)
            _ = queue.connectionIsWritable()
        }
        #expect(bytes == whole.takeAllBytes())
    }

    @Test func roomThatComesDuringTheWriteIsNotLost() throws {
        var queue = WriteQueue()
        queue.addData(Self.frame(1_000), on: 1)
        _ = try queue.batch()
        let isWritable = queue.connectionIsWritable()
        #expect(!isWritable)
        let goesOn = queue.finishWriting(4)
        #expect(goesOn)
        let rest = try queue.batch()
        #expect(rest.offset == 4)
    }

    @Test func allGetTheSameBytes() throws {
        let frame = Self.frame(1_000)
        for _ in 0..<2 {
            var queue = WriteQueue()
            queue.addData(frame, on: 1)
            try queue.batch().frames.withPieces(from: 0) { pieces in
                #expect(pieces.map(\.baseAddress) == [frame.bytes.baseAddress])
            }
        }
    }

    @Test func writtenFramesAreReleased() throws {
        var queue = WriteQueue()
        // Each of the two buffers once.
        for _ in 0..<2 {
            weak var frame: SharedFrame?
            do {
                let made = Self.frame(1_000)
                frame = made
                queue.addData(made, on: 1)
            }
            _ = queue.takeAllBytes()
            #expect(frame == nil)
        }
    }

    @Test(arguments: [(missing: 1, isPlain: true), (missing: 0, isPlain: false)])
    func aSmallFrameIsCopied(missing: Int, isPlain: Bool) throws {
        var queue = WriteQueue()
        let whole = Self.frame(2_000)
        // The bytes are valid as long as the frame that has them.
        let frame = withExtendedLifetime(whole) {
            SharedFrame(whole.bytes.prefix(WriteQueueLimits().sharedBytes - missing))
        }
        queue.addData(frame, on: 1)
        let batch = try queue.batch()
        #expect(batch.frames.isPlain == isPlain)
        #expect(batch.bytes == Array(frame.bytes))
    }

    @Test(arguments: [
        (frames: [], own: 100_000, isWorthPieces: false),
        ([1_000], 0, false),
        ([1_000, 7_000], 192, false),
        ([1_000, 7_000], 193, true),
        ([60_000], 0, true),
    ])
    func aSmallBatchIsWrittenInOnePiece(frames: [Int], own: Int, isWorthPieces: Bool) throws {
        var queue = WriteQueue()
        for count in frames { queue.addData(SharedFrame([UInt8](repeating: 1, count: count)), on: 1) }
        queue.addControl { $0 += [UInt8](repeating: 2, count: own) }
        #expect(try queue.batch().isWorthPieces == isWorthPieces)
    }

    // MARK: Limits

    @Test func sharedBytesCountAgainstTheLimit() {
        var limits = WriteQueueLimits()
        limits.maximumBytes = 5_000
        var queue = WriteQueue(limits: limits)
        for _ in 0..<4 { queue.addData(Self.frame(1_200), on: 1) }
        #expect(!queue.isOverLimit)
        queue.addData(Self.frame(1_200), on: 1)
        #expect(queue.isOverLimit)
        _ = queue.takeAllBytes()
        #expect(!queue.isOverLimit)
    }

    @Test func sharedBytesThatWaitCountAsABacklog() throws {
        var queue = WriteQueue()
        let frame = Self.frame(1_000)
        let fitting = WriteQueueLimits().batchBytes / frame.count
        for _ in 0..<fitting { queue.addData(frame, on: 1) }
        #expect(!queue.isBacklogged(1))
        queue.addData(frame, on: 1)
        #expect(queue.isBacklogged(1))
        let batch = try queue.batch()
        #expect(batch.count == (fitting + 1) * frame.count)
        #expect(queue.isBacklogged(1))
        _ = queue.finishWriting(frame.count)
        #expect(!queue.isBacklogged(1))
        #expect(queue.count == fitting * frame.count)
    }

    /// Shared and other frames of two channels wait after a full batch.
    @Test func waitingFramesStayInOrderPerChannel() throws {
        var queue = WriteQueue()
        let (first, filling) = (Self.frame(1_000, on: 9), 300)
        for _ in 0..<filling { queue.addData(first, on: 9) }
        for revision in 1...3 as ClosedRange<UInt64> {
            queue.addEvent(revision, action: [1], on: 1)
            queue.addData(Self.frame(1_000, revision: revision), on: 1)
            queue.addData(Self.frame(1_000, revision: revision, on: 2), on: 2)
        }
        queue.addControl(CancelMessage(event: 1), on: 1)
        let frames = try queue.takeAll()
        #expect(frames.count == filling + 10)
        let data = frames.filter { $0.channel == 1 && $0.kind != .cancel }
        #expect(data.map(\.spoken) == (1...3).flatMap { _ in ["event on 1", "state on 1"] })
        for channel in 1...2 as ClosedRange<UInt32> {
            let states = frames.filter { $0.channel == channel && $0.kind == .state }
            #expect(try states.map { try StateMessage(decoding: $0.body).revision } == [1, 2, 3])
        }
        // The control message was behind one batch only.
        let cancel = try #require(frames.firstIndex { $0.kind == .cancel })
        #expect(frames[cancel...].count > 3)
    }

    @Test func aLongLineOfSharedFramesIsQuicklyTaken() throws {
        var queue = WriteQueue()
        let frame = Self.frame(1_000)
        for _ in 0..<5_000 { queue.addData(frame, on: 1) }
        var frames = 0
        while let batch = queue.startWriting() {
            frames += try WrittenFrame.all(in: batch.bytes).count
            #expect(batch.count <= 2 * (WriteQueueLimits().batchBytes + frame.count))
            _ = queue.finishWriting(batch.count)
        }
        #expect(frames == 5_000)
        #expect(queue.isEmpty)
    }
}
