import LatticeCore
import LatticeSession
import LatticeWire
import Testing

/// What an outbox does with frames that go to many.
struct SharedFrameTests {
    /// What is added to an outbox.
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

        func add(to outbox: inout Outbox) {
            switch self {
            case .event: outbox.addEvent(1, action: [1, 2, 3], on: 1)
            case .control: outbox.addControl(CancelMessage(event: 1), on: 1)
            case .shared(let channel): outbox.addData(Self.frames[Int(channel)], on: channel)
            case .last: outbox.addLast(Goodbye(code: .normal, reason: "done"))
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

    /// A state of so many bytes.
    static func frame(_ count: Int, revision: UInt64 = 1, on channel: UInt32 = 1) -> SharedFrame {
        var bytes: [UInt8] = []
        let state = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(revision)) }
        StateMessage.appendFrame(to: &bytes, channel: channel, revision: revision, applied: 0, state: state)
        return SharedFrame(bytes)
    }

    @Test(arguments: mixtures)
    func framesGoOutInOrder(additions: [Addition], spoken: [String]) throws {
        var outbox = Outbox()
        for addition in additions { addition.add(to: &outbox) }
        let count = outbox.count
        let bytes = outbox.takeAllBytes()
        #expect(bytes.count == count)
        #expect(try WrittenFrame.all(in: bytes).map(\.spoken) == spoken)
        #expect(outbox.isEmpty)
    }

    /// Inside bytes of its own, inside a shared frame, and at each border.
    @Test(arguments: mixtures)
    func aPartMayEndAnywhere(additions: [Addition], spoken: [String]) throws {
        var whole = Outbox()
        for addition in additions { addition.add(to: &whole) }
        let expected = whole.takeAllBytes()
        for part in 0..<expected.count {
            var outbox = Outbox()
            for addition in additions { addition.add(to: &outbox) }
            let batch = try outbox.batch()
            let goesOn = outbox.finishWriting(part)
            #expect(!goesOn)
            let none = outbox.startWriting()
            #expect(none == nil)
            #expect(outbox.count == expected.count - part)
            let isWritable = outbox.connectionIsWritable()
            #expect(isWritable)
            #expect(Array(batch.bytes.prefix(part)) + outbox.takeAllBytes() == expected)
            #expect(outbox.isEmpty)
        }
    }

    @Test func aByteAtATimeGoesOutWhole() throws {
        var whole = Outbox()
        var outbox = Outbox()
        for addition in [Addition.event, .shared(on: 1), .shared(on: 2), .control] {
            addition.add(to: &whole)
            addition.add(to: &outbox)
        }
        var bytes: [UInt8] = []
        while let batch = outbox.startWriting() {
            bytes += batch.bytes.prefix(1)
            _ = outbox.finishWriting(1)
            _ = outbox.connectionIsWritable()
        }
        #expect(bytes == whole.takeAllBytes())
    }

    @Test func roomThatComesDuringTheWriteIsNotLost() throws {
        var outbox = Outbox()
        outbox.addData(Self.frame(1_000), on: 1)
        _ = try outbox.batch()
        let isWritable = outbox.connectionIsWritable()
        #expect(!isWritable)
        let goesOn = outbox.finishWriting(4)
        #expect(goesOn)
        let rest = try outbox.batch()
        #expect(rest.offset == 4)
    }

    @Test func allGetTheSameBytes() throws {
        let frame = Self.frame(1_000)
        for _ in 0..<2 {
            var outbox = Outbox()
            outbox.addData(frame, on: 1)
            try outbox.batch().frames.withPieces(from: 0) { pieces in
                #expect(pieces.map(\.baseAddress) == [frame.bytes.baseAddress])
            }
        }
    }

    @Test func whatWentOutIsLetGo() throws {
        var outbox = Outbox()
        // Each of the two buffers once.
        for _ in 0..<2 {
            weak var frame: SharedFrame?
            do {
                let made = Self.frame(1_000)
                frame = made
                outbox.addData(made, on: 1)
            }
            _ = outbox.takeAllBytes()
            #expect(frame == nil)
        }
    }

    @Test(arguments: [(missing: 1, isPlain: true), (missing: 0, isPlain: false)])
    func aSmallFrameIsCopied(missing: Int, isPlain: Bool) throws {
        var outbox = Outbox()
        let frame = SharedFrame(Self.frame(2_000).bytes.prefix(OutboxLimits().sharedBytes - missing))
        outbox.addData(frame, on: 1)
        let batch = try outbox.batch()
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
        var outbox = Outbox()
        for count in frames { outbox.addData(SharedFrame([UInt8](repeating: 1, count: count)), on: 1) }
        outbox.addControl { $0 += [UInt8](repeating: 2, count: own) }
        #expect(try outbox.batch().isWorthPieces == isWorthPieces)
    }

    // MARK: Limits

    @Test func sharedBytesCountAgainstTheLimit() {
        var limits = OutboxLimits()
        limits.maximumBytes = 5_000
        var outbox = Outbox(limits: limits)
        for _ in 0..<4 { outbox.addData(Self.frame(1_200), on: 1) }
        #expect(!outbox.isOverLimit)
        outbox.addData(Self.frame(1_200), on: 1)
        #expect(outbox.isOverLimit)
        _ = outbox.takeAllBytes()
        #expect(!outbox.isOverLimit)
    }

    @Test func sharedBytesThatWaitCountAsABacklog() throws {
        var outbox = Outbox()
        let frame = Self.frame(1_000)
        let fitting = OutboxLimits().batchBytes / frame.count
        for _ in 0..<fitting { outbox.addData(frame, on: 1) }
        #expect(!outbox.isBacklogged(1))
        outbox.addData(frame, on: 1)
        #expect(outbox.isBacklogged(1))
        let batch = try outbox.batch()
        #expect(batch.count == (fitting + 1) * frame.count)
        #expect(outbox.isBacklogged(1))
        _ = outbox.finishWriting(frame.count)
        #expect(!outbox.isBacklogged(1))
        #expect(outbox.count == fitting * frame.count)
    }

    /// Behind a full batch, data of two channels waits, shared and not.
    @Test func whatWaitsStaysInOrderPerChannel() throws {
        var outbox = Outbox()
        let (first, filling) = (Self.frame(1_000, on: 9), 300)
        for _ in 0..<filling { outbox.addData(first, on: 9) }
        for revision in 1...3 as ClosedRange<UInt64> {
            outbox.addEvent(revision, action: [1], on: 1)
            outbox.addData(Self.frame(1_000, revision: revision), on: 1)
            outbox.addData(Self.frame(1_000, revision: revision, on: 2), on: 2)
        }
        outbox.addControl(CancelMessage(event: 1), on: 1)
        let frames = try outbox.takeAll()
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
        var outbox = Outbox()
        let frame = Self.frame(1_000)
        for _ in 0..<5_000 { outbox.addData(frame, on: 1) }
        var frames = 0
        while let batch = outbox.startWriting() {
            frames += try WrittenFrame.all(in: batch.bytes).count
            #expect(batch.count <= 2 * (OutboxLimits().batchBytes + frame.count))
            _ = outbox.finishWriting(batch.count)
        }
        #expect(frames == 5_000)
        #expect(outbox.isEmpty)
    }
}
