/// The versions of the protocol that this library speaks.
package enum WireVersion {
    /// The version that ``Hello`` offers first. A released number keeps its meaning.
    package static let current: UInt16 = 1
    /// All versions that this library can speak.
    package static let supported: ClosedRange<UInt16> = 1...1
}

/// The first message of a session, from the side that began it.
package struct Hello: WireMessageBody {
    package static let kind = MessageKind.hello

    /// The versions that the sender speaks.
    package var versions: ClosedRange<UInt16> = WireVersion.supported
    /// The role of the sender.
    package var role: Role = Role(rawValue: 0)
    /// The incarnation of a worker, which only grows; 0 for other processes.
    package var incarnation: UInt64 = 0
    /// The one-time token of a supervised worker, at most 64 bytes. Empty for other processes.
    package var token: [UInt8] = []
    /// The identity of a client, 16 bytes, which stays the same after a reconnect. Empty for other processes.
    package var identity: [UInt8] = []
    /// The process ID of the sender.
    package var processID: UInt32 = 0
    /// The features that the sender serves, at most 1,024.
    package var features: [FeatureAdvertisement] = []
    /// The build of a worker, at most 64 bytes. It is the same for each process of one program, and differs between
    /// programs. Nil for other processes, and for workers that do not know it.
    package var build: [UInt8]?
    /// The name of this process as a node, 16 bytes; nil for a process that accepts no calls.
    package var node: [UInt8]?

    package init(
        versions: ClosedRange<UInt16> = WireVersion.supported,
        role: Role,
        incarnation: UInt64,
        token: [UInt8] = [],
        identity: [UInt8] = [],
        processID: UInt32,
        features: [FeatureAdvertisement],
        build: [UInt8]? = nil,
        node: [UInt8]? = nil
    ) {
        self.versions = versions
        self.role = role
        self.incarnation = incarnation
        self.token = token
        self.identity = identity
        self.processID = processID
        self.features = features
        self.build = build
        self.node = node
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.versions(1, &versions)
        try coder.field(3, "role", &role, .code)
        try coder.field(4, "incarnation", &incarnation, .unsigned)
        try coder.field(5, "token", &token, .bytes(0...MessageLimits.maximumToken))
        try coder.field(6, "identity", &identity, .identity(orNone: true))
        try coder.field(7, "processID", &processID, .unsigned)
        try coder.field(8, "features", &features, .features)
        try coder.optional(9, "build", &build, .bytes(1...MessageLimits.maximumBuild))
        try coder.optional(10, "node", &node, .identity())
    }
}

/// The answer that begins a session. All other messages may follow.
package struct Welcome: WireMessageBody {
    package static let kind = MessageKind.welcome

    /// The version that both sides speak from here on, which is the highest version in both ranges.
    package var version: UInt16 = WireVersion.current
    /// The role of the sender.
    package var role: Role = Role(rawValue: 0)
    /// The coordinator ID: a number that differs in each process.
    package var coordinatorID: UInt64 = 0
    /// The process ID of the sender.
    package var processID: UInt32 = 0
    /// The features that the sender serves, at most 1,024.
    package var features: [FeatureAdvertisement] = []
    /// The store ID: 16 bytes that name what the sender remembers. It changes only when that is lost. It is also the
    /// sender of the acceptor's own events.
    package var storeID: [UInt8] = []
    /// The name of this process as a node, 16 bytes; nil for a process that accepts no calls.
    package var node: [UInt8]?

    package init(
        version: UInt16 = WireVersion.current,
        role: Role,
        coordinatorID: UInt64,
        processID: UInt32,
        features: [FeatureAdvertisement],
        storeID: [UInt8],
        node: [UInt8]? = nil
    ) {
        self.version = version
        self.role = role
        self.coordinatorID = coordinatorID
        self.processID = processID
        self.features = features
        self.storeID = storeID
        self.node = node
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "version", &version, .unsigned)
        try coder.field(2, "role", &role, .code)
        try coder.field(3, "coordinatorID", &coordinatorID, .unsigned)
        try coder.field(4, "processID", &processID, .unsigned)
        try coder.field(5, "features", &features, .features)
        try coder.field(6, "storeID", &storeID, .identity())
        try coder.optional(7, "node", &node, .identity())
    }
}

/// The answer that ends a session before it has begun.
package struct Refuse: WireMessageBody {
    package static let kind = MessageKind.refuse

    /// The reason as a code.
    package var code: RefusalCode = RefusalCode(rawValue: 0)
    /// The reason and what to do about it, in one sentence.
    package var reason: String = ""
    /// The versions that the refusing side speaks.
    package var versions: ClosedRange<UInt16> = WireVersion.supported

    package init(code: RefusalCode, reason: String, versions: ClosedRange<UInt16> = WireVersion.supported) {
        self.code = code
        self.reason = reason
        self.versions = versions
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "code", &code, .code)
        try coder.field(2, "reason", &reason, .sentence)
        try coder.versions(3, &versions)
    }
}

extension FieldCoder {
    /// Codes two numbers that bound a range, the upper one under the next key.
    fileprivate mutating func versions(_ key: UInt64, _ versions: inout ClosedRange<UInt16>) throws(Failure) {
        var (minimum, maximum) = (versions.lowerBound, versions.upperBound)
        try field(key, "minimumVersion", &minimum, .unsigned)
        try field(key + 1, "maximumVersion", &maximum, .unsigned)
        try refuse(if: minimum > maximum, .badRange(minimum: minimum, maximum: maximum))
        versions = minimum...maximum
    }
}
