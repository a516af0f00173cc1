/// The limits of single fields. A receiver refuses larger values, and a sender cuts sentences to these limits.
package enum MessageLimits {
    /// The highest number of an event or a state. One more is always a valid number too, here and in languages whose
    /// integers have a sign.
    package static let maximumGrowing = UInt64(Int64.max)
    /// The maximum number of features that one side may advertise.
    package static let maximumFeatures = 1_024
    /// The maximum size of the list of features, in bytes. It has to fit into a handshake's frame together with the
    /// other fields of the largest *hello*.
    package static let maximumFeatureBytes = 16_000
    /// The maximum size of a feature's identifier, in bytes.
    package static let maximumIdentifier = 255
    /// The maximum size of an instance key, in bytes.
    package static let maximumInstance = 255
    /// The maximum size of the encoded configuration in *open*, in bytes.
    package static let maximumConfiguration = 65_536
    /// The maximum size of the one-time token of a supervised worker, in bytes.
    package static let maximumToken = 64
    /// The maximum size of the name of a worker's build, in bytes.
    package static let maximumBuild = 64
    /// The size of a client's identity, in bytes. It is a random number that lasts as long as the client.
    package static let maximumIdentity = 16
    /// The maximum number of origins that a channel knows at a time. A server keeps all of them, and one person runs
    /// fewer programs than that.
    package static let maximumOrigins = 1_024
    /// The maximum size of the path of a program, in bytes. It is the longest path that Linux accepts. A longer path is
    /// not sent, because a part of it would name another program.
    package static let maximumProgram = 4_096
    /// The maximum number of named effects that run on a channel at a time. Each of them is recovered separately.
    package static let maximumEffects = 4_096
    /// The maximum number of begun effects in one message. With the longest names they still fit into one control
    /// frame.
    package static let maximumBegunEffects = 128
    /// The maximum number of ended effects in one message.
    package static let maximumEndedEffects = 2_048
    /// The maximum size of the name of an effect, in bytes.
    package static let maximumEffectName = 255
    /// The maximum number of times that one effect may be recovered.
    package static let maximumRecoveries: UInt32 = 1_000
    /// The maximum size of a sentence for people, in bytes. Sentences are reasons, messages of errors, and entries of a
    /// history.
    package static let maximumSentence = 2_048
    /// The maximum size of the reason of a cancel, in bytes. Each running event may keep one.
    package static let maximumCancelReason = 256
    /// The maximum size of the value of a rejection, in bytes. The server of a channel keeps thousands of outcomes.
    package static let maximumRejectionValue = 1_024
    /// The maximum number of entries of a host's history. With the longest sentences they still fit into one control
    /// frame.
    package static let maximumHistory = 16
    /// The maximum number of lines of output in a crash report.
    package static let maximumOutput = 32
    /// The maximum size of such a line, in bytes.
    package static let maximumLine = 1_024
    /// The maximum number of events in a crash report, and of effects in it. With the longest names and lines they
    /// still fit into one control frame.
    package static let maximumReported = 16
    /// The maximum number of events in a message about the causes of a state. With the longest texts they still fit
    /// into one control frame.
    package static let maximumCauses = 8
    /// The maximum size of the name of a method or of a type, in bytes. Names that compilers make are long.
    package static let maximumMethod = 1_024
    /// The maximum number of methods of one actor that have stable names.
    package static let maximumStableMethods = 1_024
    /// The maximum number of actors in the list of actors that serve a name.
    package static let maximumServers = 4_096
    /// The maximum number of types with which a generic method is called.
    package static let maximumSubstitutions = 16
    /// The maximum number of entries of a trace in an event or a call.
    package static let maximumTrace = 16
    /// The maximum size of such an entry, in bytes.
    package static let maximumTraceEntry = 1_024

    /// The maximum size of the name of a section, of a sort key, and of an act, in bytes.
    package static let maximumSection = 64
    /// The maximum size of a filter in *describe*, in bytes. It is enough for any identifier and any instance key.
    package static let maximumFilter = 255
    /// The maximum size of the encoded rows in *description*, in bytes. A page of some hundred rows fits, and a process
    /// that answers many requests at once needs no more memory than for a few states.
    package static let maximumRows = 262_144
    /// The maximum size of the encoded places of rows in *description*, in bytes. A place takes at most 4 bytes for
    /// each of 1,000 rows, and other coordinators may describe more of them.
    package static let maximumPlaces = 65_536
    /// The maximum number of keys that identify a row in *description*.
    package static let maximumRowKeys = 8
    /// The maximum size of the encoded arguments in *operate*, in bytes. An argument is a name or a number, and the
    /// longest name is the ID of an event.
    package static let maximumArguments = 4_096

    /// Returns the longest beginning of a sentence that a sender may send, cut between two scalars.
    static func trimmed(_ sentence: String, to maximum: Int = maximumSentence) -> String {
        guard sentence.utf8.count > maximum else { return sentence }
        let utf8 = sentence.utf8
        var end = utf8.index(utf8.startIndex, offsetBy: maximum)
        while end > utf8.startIndex && utf8[end] & 0xc0 == 0x80 {
            end = utf8.index(before: end)
        }
        return String(sentence[..<end])
    }
}
