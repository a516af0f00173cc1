import DequeModule
import LatticeWire

/// The calls and answers of one session that wait for room in its output. It does no I/O.
///
/// Answers wait in a separate queue for each caller, and the callers are served in turn. The answers to one caller
/// therefore do not delay those to another. A call is sent before every answer that was added later, and calls keep
/// their order.
struct CallOutbox {
    /// The number that stands for the other side itself as a caller, whose calls were not passed on.
    static var direct: UInt64 { 0 }

    struct Message {
        let kind: MessageKind
        let body: SplitBody
        /// The position among all messages that were ever added.
        fileprivate let place: UInt64
    }

    /// The answers to one caller.
    private struct Answers {
        var waiting: Deque<Message> = []
        var bytes = 0
    }

    private var calls: Deque<Message> = []
    /// The number of bytes of the calls that wait.
    private(set) var callBytes = 0
    private var answers: [UInt64: Answers] = [:]
    /// The callers whose answers wait, in round-robin order. The first one is served next.
    private var rotation: Deque<UInt64> = []
    private var lastPlace: UInt64 = 0

    var isEmpty: Bool { calls.isEmpty && rotation.isEmpty }

    /// Returns the number of bytes of the answers that wait for a caller.
    func bytes(for caller: UInt64) -> Int { rotation.isEmpty ? 0 : answers[caller]?.bytes ?? 0 }

    mutating func append(call kind: MessageKind, _ body: SplitBody) {
        callBytes += body.count
        calls.append(message(kind, body))
    }

    mutating func append(answer kind: MessageKind, _ body: SplitBody, for caller: UInt64) {
        let message = message(kind, body)
        if answers[caller] == nil { rotation.append(caller) }
        answers[caller, default: Answers()].bytes += body.count
        answers[caller]?.waiting.append(message)
    }

    private mutating func message(_ kind: MessageKind, _ body: SplitBody) -> Message {
        lastPlace += 1
        return Message(kind: kind, body: body, place: lastPlace)
    }

    /// Passes the messages to a function, in the order in which they must be sent, until it refuses one.
    ///
    /// - Parameter take: Sends a message, and returns `false` if there is no room for it.
    mutating func send(_ take: (Message) -> Bool) {
        while let (message, caller) = next {
            guard take(message) else { return }
            if let caller { removeFirst(of: caller) } else { calls.removeFirst() }
            if caller == nil { callBytes -= message.body.count }
        }
    }

    /// Removes and returns all messages, in the order in which they must be sent.
    mutating func takeAll() -> [Message] {
        var all: [Message] = []
        send { message in
            all.append(message)
            return true
        }
        return all
    }

    private var next: (message: Message, caller: UInt64?)? {
        guard let caller = rotation.first, let answer = answers[caller]?.waiting.first else {
            return calls.first.map { ($0, nil) }
        }
        if let call = calls.first, call.place < answer.place { return (call, nil) }
        return (answer, caller)
    }

    /// Removes the first answer of the caller that is served now, after it was sent.
    private mutating func removeFirst(of caller: UInt64) {
        rotation.removeFirst()
        guard let message = answers[caller]?.waiting.removeFirst() else { return }
        answers[caller]?.bytes -= message.body.count
        if answers[caller]?.waiting.isEmpty == true { answers[caller] = nil } else { rotation.append(caller) }
    }
}
