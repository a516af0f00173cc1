import DequeModule
import LatticeWire

/// The calls and answers of one session that wait for room there. It does no I/O.
///
/// Answers wait by the callers that read them, and the callers take turns. So the answers to one caller do not keep
/// those to another. A call goes out ahead of every answer that was made later, and calls keep their order.
struct CallOutbox {
    /// The number of the caller of calls that are not passed on for another process.
    static var direct: UInt64 { 0 }

    struct Message {
        let kind: MessageKind
        let body: SplitBody
        /// Its place among all messages that have waited here.
        fileprivate let place: UInt64
    }

    /// The answers to one caller.
    private struct Answers {
        var waiting: Deque<Message> = []
        var bytes = 0
    }

    private var calls: Deque<Message> = []
    /// The bytes of the calls that wait.
    private(set) var callBytes = 0
    private var answers: [UInt64: Answers] = [:]
    /// The callers whose answers wait. The first one is next.
    private var turns: Deque<UInt64> = []
    private var lastPlace: UInt64 = 0

    var isEmpty: Bool { calls.isEmpty && turns.isEmpty }

    /// The bytes of the answers that wait for a caller to read them.
    func bytes(for caller: UInt64) -> Int { turns.isEmpty ? 0 : answers[caller]?.bytes ?? 0 }

    mutating func append(call kind: MessageKind, _ body: SplitBody) {
        callBytes += body.count
        calls.append(message(kind, body))
    }

    mutating func append(answer kind: MessageKind, _ body: SplitBody, for caller: UInt64) {
        let message = message(kind, body)
        if answers[caller] == nil { turns.append(caller) }
        answers[caller, default: Answers()].bytes += body.count
        answers[caller]?.waiting.append(message)
    }

    private mutating func message(_ kind: MessageKind, _ body: SplitBody) -> Message {
        lastPlace += 1
        return Message(kind: kind, body: body, place: lastPlace)
    }

    /// Hands on the messages in the order in which they go out, as long as they are taken.
    ///
    /// - Parameter take: Returns whether there is room for the message.
    mutating func send(_ take: (Message) -> Bool) {
        while let (message, caller) = next {
            guard take(message) else { return }
            if let caller { removeFirst(of: caller) } else { calls.removeFirst() }
            if caller == nil { callBytes -= message.body.count }
        }
    }

    /// Takes out all messages, in the order in which they go out.
    mutating func takeAll() -> [Message] {
        var all: [Message] = []
        send { message in
            all.append(message)
            return true
        }
        return all
    }

    private var next: (message: Message, caller: UInt64?)? {
        guard let caller = turns.first, let answer = answers[caller]?.waiting.first else {
            return calls.first.map { ($0, nil) }
        }
        if let call = calls.first, call.place < answer.place { return (call, nil) }
        return (answer, caller)
    }

    /// The first answer of the caller whose turn it is has gone.
    private mutating func removeFirst(of caller: UInt64) {
        turns.removeFirst()
        guard let message = answers[caller]?.waiting.removeFirst() else { return }
        answers[caller]?.bytes -= message.body.count
        if answers[caller]?.waiting.isEmpty == true { answers[caller] = nil } else { turns.append(caller) }
    }
}
