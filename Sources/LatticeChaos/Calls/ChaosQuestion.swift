/// The argument of a call. It is different for each call.
struct ChaosQuestion: Codable, Equatable, Sendable {
    let call: ChaosCall.Identifier
    let text: String
    let answerLetters: Int

    /// The answer to the question. The actor computes it, and the caller computes it for comparison.
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

/// Functions for texts that differ at each place.
enum ChaosText {
    /// Returns a text with at least `letters` letters, and at most a few more.
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
