/// The calls that a node has in progress although no calls are made, and the number of answers that it received too
/// late.
struct CallCounts: Equatable, Sendable {
    /// A description of the node.
    let title: String
    /// The calls in its tables that it has made and that have not ended.
    var sent = 0
    /// The calls in its tables that it has received and not answered.
    var taken = 0
    /// The number of answers that arrived when no caller waited any more.
    var lateReplies = 0
    /// The maximum number of such answers that is correct: one for each call that was given up.
    var maximumLateReplies = 0

    /// The violations, each in a sentence.
    var violations: [String] {
        var violations: [String] = []
        if sent > 0 {
            violations.append("\(title) waits for the answers to \(calls(sent)), although no calls are made")
        }
        if taken > 0 { violations.append("\(title) has \(calls(taken)) to answer, although no calls are made") }
        if lateReplies > maximumLateReplies {
            let answers = lateReplies == 1 ? "1 answer" : "\(lateReplies) answers"
            violations.append(
                "\(title) got \(answers) too late or twice, but the number of abandoned calls is \(maximumLateReplies)"
            )
        }
        return violations
    }

    private func calls(_ count: Int) -> String { count == 1 ? "1 call" : "\(count) calls" }
}
