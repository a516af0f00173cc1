// Codes are open sets. A number that a later version adds is passed on, and the sentence next to it says what it means.

/// The reason for the refusal of a handshake.
package struct RefusalCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The ranges of versions have no version in common.
    package static let version = RefusalCode(rawValue: 1)
    /// The token is not the token of this worker, or it was used before.
    package static let token = RefusalCode(rawValue: 2)
    /// The sender's role does not belong here.
    package static let role = RefusalCode(rawValue: 3)
    /// The operating system says that the peer is another user.
    package static let credentials = RefusalCode(rawValue: 4)
    /// The maximum number of sessions is reached. The sender can try again later.
    package static let busy = RefusalCode(rawValue: 5)
    /// The hello could not be read.
    package static let malformed = RefusalCode(rawValue: 6)
    /// No *hello* arrived in time.
    package static let timeout = RefusalCode(rawValue: 7)
    /// The worker is another incarnation than the one that was started.
    package static let incarnation = RefusalCode(rawValue: 8)
    /// The worker lacks features that it has to serve, or has other schemas of them.
    package static let features = RefusalCode(rawValue: 9)
    /// The worker has another build than the one with which its coordinator works.
    package static let build = RefusalCode(rawValue: 10)
}

/// The reason for the end of a session.
package struct GoodbyeCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The sender has finished.
    package static let normal = GoodbyeCode(rawValue: 0)
    /// The other side violated the protocol. The reason names the violation.
    package static let violation = GoodbyeCode(rawValue: 1)
    /// The sender is shutting down.
    package static let shuttingDown = GoodbyeCode(rawValue: 2)
    /// The other side did not answer in time.
    package static let timeout = GoodbyeCode(rawValue: 3)
    /// The other side does not read the data that it requested.
    package static let overloaded = GoodbyeCode(rawValue: 4)
    /// A newer session has the same identity.
    package static let replaced = GoodbyeCode(rawValue: 5)
}

/// The reason why a channel was not opened.
package struct OpenRefusalCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The server has no such feature.
    package static let unknownFeature = OpenRefusalCode(rawValue: 1)
    /// The two sides have different schemas of the feature.
    package static let schema = OpenRefusalCode(rawValue: 2)
    /// The state in the open message cannot be read.
    package static let undecodableState = OpenRefusalCode(rawValue: 3)
    /// The maximum number of channels or instances is reached.
    package static let tooMany = OpenRefusalCode(rawValue: 4)
    /// The feature is known, but no worker serves it, because its worker cannot be kept running.
    package static let unavailable = OpenRefusalCode(rawValue: 5)
    // 6 is reserved.
    /// The configuration in the open message cannot be read.
    package static let undecodableConfiguration = OpenRefusalCode(rawValue: 7)
    /// The state is larger than the opener accepts.
    package static let tooLarge = OpenRefusalCode(rawValue: 8)
    /// A process of the opener's role opens no channels.
    package static let role = OpenRefusalCode(rawValue: 9)
    /// The server does not permit this opener to open the feature.
    package static let refused = OpenRefusalCode(rawValue: 10)
}

/// The reason why a channel is closed.
package struct CloseCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The opener asked for it.
    package static let requested = CloseCode(rawValue: 0)
    /// The server finishes its work and accepts nothing new.
    package static let draining = CloseCode(rawValue: 1)
    /// The server cannot continue to serve this feature.
    package static let failed = CloseCode(rawValue: 2)
}

/// The reason why an event was not applied. `EventRejection.Code` has the same numbers under public names.
package struct RejectionCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A queue on its way is full.
    package static let overloaded = RejectionCode(rawValue: 1)
    /// It has killed workers and is kept away from them.
    package static let quarantined = RejectionCode(rawValue: 2)
    /// The server cannot read its action.
    package static let undecodable = RejectionCode(rawValue: 3)
    /// The channel or the session has ended.
    package static let closed = RejectionCode(rawValue: 4)
    /// Its deadline passed before it was applied.
    package static let deadline = RejectionCode(rawValue: 5)
    /// The two sides have different schemas of the feature.
    package static let schema = RejectionCode(rawValue: 6)
    /// Its action is larger than the limit.
    package static let tooLarge = RejectionCode(rawValue: 7)
    /// The feature said no.
    package static let declined = RejectionCode(rawValue: 8)
    /// Its sender may only read.
    package static let readOnly = RejectionCode(rawValue: 9)
}

/// The result of a request to describe something.
package struct DescriptionCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The message contains the rows.
    package static let described = DescriptionCode(rawValue: 0)
    /// There is no section with this name.
    package static let unknownSection = DescriptionCode(rawValue: 1)
    /// The section cannot be sorted by this key.
    package static let unknownSortKey = DescriptionCode(rawValue: 2)
    /// The sender of the request is not permitted to look into this process.
    package static let refused = DescriptionCode(rawValue: 3)
    /// Too many requests of the session are not answered yet.
    package static let busy = DescriptionCode(rawValue: 4)
    /// The first row alone is too large for an answer.
    package static let tooLarge = DescriptionCode(rawValue: 5)
    /// The subscription has ended, because its tool has asked for it.
    package static let ended = DescriptionCode(rawValue: 6)
}

/// The result of a request of a tool to act.
package struct OperationCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The act was done.
    package static let done = OperationCode(rawValue: 0)
    /// There is no act with this name.
    package static let unknownAct = OperationCode(rawValue: 1)
    /// The worker, the group or the event of the request does not exist.
    package static let notFound = OperationCode(rawValue: 2)
    /// The sender of the request is not permitted to act.
    package static let refused = OperationCode(rawValue: 3)
    /// Too many requests are not answered yet.
    package static let busy = OperationCode(rawValue: 4)
    /// An argument is missing, unknown, or outside its range.
    package static let invalid = OperationCode(rawValue: 5)
    /// The act is not possible in the present state of its subject.
    package static let notPossible = OperationCode(rawValue: 6)
}

/// The reason why an answer does not contain all rows that follow its offset.
package struct DescriptionCut: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The number of rows has reached the limit of the request, or the maximum of the side that answers.
    package static let limit = DescriptionCut(rawValue: 1)
    /// One more row would make the answer too large.
    package static let size = DescriptionCut(rawValue: 2)
}

/// The role of a process in a session.
package struct Role: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A worker, which runs features.
    package static let worker = Role(rawValue: 1)
    /// A coordinator, which supervises workers.
    package static let coordinator = Role(rawValue: 2)
    /// A client of a coordinator.
    package static let client = Role(rawValue: 3)
    /// A tool, which inspects a coordinator. It is not a client, and opens no channels.
    package static let tool = Role(rawValue: 4)

    package var description: String {
        switch self {
        case .worker: "worker"
        case .coordinator: "coordinator"
        case .client: "client"
        case .tool: "tool"
        default: "process of role \(rawValue) (unknown to this version)"
        }
    }
}
