/// Bounds of single fields. A receiver refuses what is above them; a sender cuts sentences to them.
package enum MessageLimits {
    /// The highest number of an event or a state: one more is always a number too, here and in languages whose integers
    /// have a sign.
    package static let maximumGrowing = UInt64(Int64.max)
    /// Features that one side may advertise.
    package static let maximumFeatures = 1_024
    /// Bytes of their list, which has to fit into a handshake's frame beside the other fields of the largest hello.
    package static let maximumFeatureBytes = 16_000
    /// Bytes of a feature's identifier.
    package static let maximumIdentifier = 255
    /// Bytes of an instance key.
    package static let maximumInstance = 255
    /// Bytes of the encoded configuration that a feature gets with *open*.
    package static let maximumConfiguration = 65_536
    /// Bytes of the one-time token that a supervised worker was given.
    package static let maximumToken = 64
    /// Bytes of the name of a worker's build.
    package static let maximumBuild = 64
    /// Bytes of a client's identity: a random number that lasts as long as the client.
    package static let maximumIdentity = 16
    /// Origins that a channel knows at a time: more programs than one person runs, and a server keeps all of them.
    package static let maximumOrigins = 1_024
    /// Named effects of a channel that run at a time: each is a thing of its own to start again, not one of a crowd.
    package static let maximumEffects = 4_096
    /// Those that one message says have begun: with the longest names they still fit into one control frame.
    package static let maximumBegunEffects = 128
    /// Those that one message says have ended.
    package static let maximumEndedEffects = 2_048
    /// Bytes of the name of an effect.
    package static let maximumEffectName = 255
    /// How often one effect may be handed over to be started again.
    package static let maximumRecoveries: UInt32 = 1_000
    /// Bytes of a sentence for people: reasons, messages of errors, entries of a history.
    package static let maximumSentence = 2_048
    /// Entries of a host's history: with the longest sentences they still fit into one control frame.
    package static let maximumHistory = 16
    /// Lines of its output that a crash report tells.
    package static let maximumOutput = 32
    /// Bytes of one of them.
    package static let maximumLine = 1_024
    /// Events that a crash report tells, and effects: with the longest names and lines they still fit into one control
    /// frame.
    package static let maximumReported = 16
    /// Bytes of the name of a method, and of that of a type: names that compilers make are long.
    package static let maximumMethod = 1_024
    /// Methods of one actor that have stable names.
    package static let maximumStableMethods = 1_024
    /// Actors that serve one name, which a list tells.
    package static let maximumServers = 4_096
    /// Types that a generic method is called with.
    package static let maximumSubstitutions = 16
    /// What tracing tells with an event or a call.
    package static let maximumTrace = 16
    /// Bytes of one of those.
    package static let maximumTraceEntry = 1_024

    /// The longest beginning of a sentence that may be sent, cut between two scalars.
    static func trimmed(_ sentence: String, to most: Int = maximumSentence) -> String {
        guard sentence.utf8.count > most else { return sentence }
        let utf8 = sentence.utf8
        var end = utf8.index(utf8.startIndex, offsetBy: most)
        while end > utf8.startIndex && utf8[end] & 0xc0 == 0x80 {
            end = utf8.index(before: end)
        }
        return String(sentence[..<end])
    }
}
