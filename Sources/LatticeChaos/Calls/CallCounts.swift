/// What a node has under way when nobody calls anything, and how many answers came to it too late.
struct CallCounts: Equatable, Sendable {
    /// Whose it is, for people.
    let title: String
    /// Calls in its tables that have not ended.
    var sent = 0
    var taken = 0
    /// Answers that came when nobody waited any more.
    var lateReplies = 0
    /// As many as there may have been: one for each call that was given up.
    var maximumLateReplies = 0

    /// What is wrong with it, each in a sentence.
    var violations: [String] {
        var violations: [String] = []
        if sent > 0 { violations.append("\(title) waits for the answers to \(sent) calls, and nobody calls anything") }
        if taken > 0 { violations.append("\(title) has \(taken) calls to answer, and nobody calls anything") }
        if lateReplies > maximumLateReplies {
            violations.append(
                "\(title) was given \(lateReplies) answers too late or twice, and \(maximumLateReplies) calls were given up"
            )
        }
        return violations
    }
}
