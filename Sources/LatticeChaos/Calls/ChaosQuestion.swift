/// What a call carries: no other call carries the same.
struct ChaosQuestion: Codable, Equatable, Sendable {
    let call: ChaosCall.Identifier
    let text: String
    let answerLetters: Int

    /// What is computed from it, where the actor lives, and by the caller to compare.
    var answer: ChaosAnswer {
        var digest = ChaosDigest(text: "\(call) ")
        digest.add(text: text)
        return ChaosAnswer(digest: digest, text: ChaosText.words(of: "answer \(call)", letters: answerLetters))
    }
}

struct ChaosAnswer: Codable, Equatable, Sendable {
    let digest: ChaosDigest
    let text: String
}

/// Texts that differ at each place.
enum ChaosText {
    /// So many letters, or a few more.
    static func words(of name: String, letters: Int) -> String {
        var text = ""
        var word = 0
        while text.utf8.count < letters {
            text += "\(name).\(word) "
            word += 1
        }
        return text
    }
}
