/// The versions of the protocol that this library speaks.
package enum WireVersion {
    /// The version that ``Hello`` offers first. A number, once released, keeps its meaning.
    package static let current: UInt16 = 1
    /// All versions that this library can speak.
    package static let supported: ClosedRange<UInt16> = 1...1
}

/// The first message of a session, from the side that began it.
package struct Hello: WireMessageBody {
    package static let kind = MessageKind.hello

    /// The versions that the sender speaks.
    package var versions: ClosedRange<UInt16> = WireVersion.supported
    package var role: Role = Role(rawValue: 0)
    /// Which life of the sender this is; it only grows. 0 for processes that have no lives.
    package var incarnation: UInt64 = 0
    /// The one-time token that a supervised worker was given, at most 64 bytes. Empty for others.
    package var token: [UInt8] = []
    /// A client's identity, 16 bytes: the same after a reconnect. Empty for others.
    package var identity: [UInt8] = []
    package var processID: UInt32 = 0
    /// What the sender serves, at most 1,024.
    package var features: [FeatureAdvertisement] = []
    /// Names what a worker runs, at most 64 bytes: the same for each process of one program, another one for another
    /// program. nil for others, and for workers that cannot tell.
    package var build: [UInt8]?
    /// Names this process as a node, in 16 bytes; nil for one that takes no calls.
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

/// The answer that begins a session: everything else may follow.
package struct Welcome: WireMessageBody {
    package static let kind = MessageKind.welcome

    /// The version that both sides speak from here on: the highest one in both ranges.
    package var version: UInt16 = WireVersion.current
    package var role: Role = Role(rawValue: 0)
    /// Names the process: another one has another number.
    package var life: UInt64 = 0
    package var processID: UInt32 = 0
    /// What the sender serves, at most 1,024.
    package var features: [FeatureAdvertisement] = []
    /// Names what the sender remembers, in 16 bytes: another one only when that was lost. Events of its own come from
    /// it.
    package var memory: [UInt8] = []
    /// Names this process as a node, in 16 bytes; nil for one that takes no calls.
    package var node: [UInt8]?

    package init(
        version: UInt16 = WireVersion.current,
        role: Role,
        life: UInt64,
        processID: UInt32,
        features: [FeatureAdvertisement],
        memory: [UInt8],
        node: [UInt8]? = nil
    ) {
        self.version = version
        self.role = role
        self.life = life
        self.processID = processID
        self.features = features
        self.memory = memory
        self.node = node
    }

    package init() {}

    package mutating func fields<Coder: FieldCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.field(1, "version", &version, .unsigned)
        try coder.field(2, "role", &role, .code)
        try coder.field(3, "life", &life, .unsigned)
        try coder.field(4, "processID", &processID, .unsigned)
        try coder.field(5, "features", &features, .features)
        try coder.field(6, "memory", &memory, .identity())
        try coder.optional(7, "node", &node, .identity())
    }
}

/// The answer that ends a session before it began.
package struct Refuse: WireMessageBody {
    package static let kind = MessageKind.refuse

    package var code: RefusalCode = RefusalCode(rawValue: 0)
    /// What to do about it, in one sentence.
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
    /// Two numbers that bound a range, the second one behind the first.
    fileprivate mutating func versions(_ key: UInt64, _ versions: inout ClosedRange<UInt16>) throws(Failure) {
        var (minimum, maximum) = (versions.lowerBound, versions.upperBound)
        try field(key, "minimumVersion", &minimum, .unsigned)
        try field(key + 1, "maximumVersion", &maximum, .unsigned)
        try refuse(if: minimum > maximum, .badRange(minimum: minimum, maximum: maximum))
        versions = minimum...maximum
    }
}
