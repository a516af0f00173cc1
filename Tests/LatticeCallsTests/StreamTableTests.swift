import LatticeWire
import Testing

@testable import LatticeCalls

/// Tests the state of a stream at both of its ends.
@Suite struct StreamTableTests {
    private static let window = CallLimits.streamWindow

    private static func elements(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    private static func read(_ step: ElementBuffer.Step) -> String {
        switch step {
        case .take(let bytes, let credit): "\(bytes.count), credit \(credit)"
        case .wait: "wait"
        case .end(let reply): "end \(reply.code.rawValue)"
        }
    }

    @Test func anElementGoesWhileAnythingIsGrantedHoweverLargeItIs() {
        var window = StreamWindow()
        let isFirstTaken = window.take(Self.window - 1)
        #expect(isFirstTaken && window.isOpen)
        let isSecondTaken = window.take(10 * Self.window)
        #expect(isSecondTaken && !window.isOpen)
        let isThirdTaken = window.take(1)
        #expect(!isThirdTaken)
        let credit = window.give(10 * Self.window - 1)
        #expect(credit == 10 * Self.window - 1 && !window.isOpen)
        window.give(1)
        #expect(window.isOpen)
    }

    @Test func creditBeyondTheWholeWindowIsIgnored() {
        var window = StreamWindow()
        #expect(window.give(1) == 0)
        _ = window.take(10)
        let credits = [window.give(.max), window.give(.max)]
        #expect(credits == [10, 0] && window == StreamWindow())
    }

    @Test func creditComesInLargePortions() {
        var buffer = ElementBuffer()
        #expect(Self.read(buffer.next()) == "wait")
        buffer.receive(Self.elements(0))
        #expect(buffer.isEmpty)
        for count in [10, Self.window / 2, 7] { buffer.receive(Self.elements(count)) }
        #expect(Self.read(buffer.next()) == "10, credit 0")
        #expect(Self.read(buffer.next()) == "\(Self.window / 2), credit \(Self.window / 2 + 10)")
        #expect(Self.read(buffer.next()) == "7, credit 0")
        #expect(Self.read(buffer.next()) == "wait")
    }

    @Test func theEndComesAfterAllElements() {
        var buffer = ElementBuffer()
        buffer.receive(Self.elements(Self.window))
        buffer.end(.failure(.lost))
        // No more credit is needed.
        #expect(Self.read(buffer.next()) == "\(Self.window), credit 0")
        #expect(Self.read(buffer.next()) == "end 10")
        #expect(Self.read(buffer.next()) == "end 10")
        let isUnderWay = buffer.abandon()
        #expect(!isUnderWay)
    }

    @Test func abandonedStreamsKeepNothing() {
        var buffer = ElementBuffer()
        buffer.receive(Self.elements(5))
        let isFirst = buffer.abandon()
        #expect(isFirst)
        buffer.receive(Self.elements(6))
        #expect(Self.read(buffer.next()) == "wait")
        let isUnderWay = buffer.abandon()
        #expect(!isUnderWay)
        buffer.end(.failure(.cancelled))
        #expect(Self.read(buffer.next()) == "end 3")
    }

    // MARK: On their way

    private typealias Table = CallTable<String, String>

    private static let (own, worker, client) = (NodeID(1), NodeID(2), NodeID(3))

    @Test func elementsAndCreditTakeTheWayOfTheirCall() throws {
        var table = Table(own: Self.own)
        let (worker, client) = (
            table.open(to: Self.worker, isUplink: false), table.open(to: Self.client, isUplink: false)
        )
        #expect(
            try table.receive(call: 5, for: Self.worker, on: client) == .passOn(worker, call: 1, isCancelled: false)
        )
        for bytes in [0, Self.window - 1, 6] {
            guard case .passOn(client, call: 5) = try table.receive(elements: 1, bytes: bytes, on: worker) else {
                Issue.record("another step")
                return
            }
        }
        // Excessive credit of a caller is passed on only up to the bytes that the stream has used.
        guard
            case .passOn(worker, call: 1, bytes: Self.window + 5) = try table.receive(
                credit: 5,
                bytes: 1 << 40,
                on: client
            ),
            case .nothing = try table.receive(credit: 5, bytes: 1, on: client)
        else {
            Issue.record("another step")
            return
        }
        _ = try table.receive(reply: 1, on: worker)
        guard case .drop = try table.receive(elements: 1, bytes: 0, on: worker),
            case .nothing = try table.receive(credit: 5, bytes: 1, on: client)
        else {
            Issue.record("another step")
            return
        }
        #expect(table.lateReplies == 0)
    }

    @Test func elementsForAGoneClientAreDropped() throws {
        var table = Table(own: Self.own)
        let (worker, client) = (
            table.open(to: Self.worker, isUplink: false), table.open(to: Self.client, isUplink: false)
        )
        _ = try table.receive(call: 5, for: Self.worker, on: client)
        _ = table.close(client)
        guard case .drop = try table.receive(elements: 1, bytes: 0, on: worker) else {
            Issue.record("another step")
            return
        }
    }

    @Test func streamsOfThisNodeAreItsOwn() throws {
        var table = Table(own: Self.own)
        let worker = table.open(to: Self.worker, isUplink: false)
        _ = try table.send("a", to: Self.worker)
        guard case .own("a") = try table.receive(elements: 1, bytes: 0, on: worker) else {
            Issue.record("another step")
            return
        }
        #expect(try table.receive(call: 7, for: nil, on: worker) == .run(isCancelled: false))
        guard case .nothing = try table.receive(credit: 7, bytes: 1, on: worker) else {
            Issue.record("another step")
            return
        }
        _ = table.began(7, on: worker, "run")
        guard case .own("run") = try table.receive(credit: 7, bytes: 1, on: worker) else {
            Issue.record("another step")
            return
        }
    }

    @Test func violationsAreNamed() throws {
        var table = Table(own: Self.own)
        let worker = table.open(to: Self.worker, isUplink: false)
        let elements = #expect(throws: WireError.self) { try table.receive(elements: 1, bytes: 0, on: worker) }
        #expect(elements?.sentence == WireError.unknownCall(1).sentence)
        let credit = #expect(throws: WireError.self) { try table.receive(credit: 1, bytes: 1, on: worker) }
        #expect(credit?.sentence == WireError.creditForUnknownCall(1).sentence)
    }

    @Test("A peer that sends elements without credit has its own session ended, not the receiver's")
    func violationsOfStreams() throws {
        func sentence(of sizes: [Int]) throws -> String? {
            var table = Table(own: Self.own)
            let (worker, client) = (
                table.open(to: Self.worker, isUplink: false), table.open(to: Self.client, isUplink: false)
            )
            _ = try table.receive(call: 5, for: Self.worker, on: client)
            for size in sizes.dropLast() { _ = try table.receive(elements: 1, bytes: size, on: worker) }
            let error = #expect(throws: WireError.self) {
                try table.receive(elements: 1, bytes: sizes.last ?? 0, on: worker)
            }
            return error?.sentence
        }
        let first = WireError.elementsBeforeStream(1).sentence
        #expect(try sentence(of: [1]) == first)
        #expect(try sentence(of: [0, 0]) == first)
        let credit = WireError.elementsWithoutCredit(1).sentence
        #expect(try sentence(of: [0, Self.window, 1]) == credit)
    }
}
