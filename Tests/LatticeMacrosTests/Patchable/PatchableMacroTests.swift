import Testing

@Suite struct PatchableMacroTests {
    @Test func aStructWithEachKindOfProperty() {
        expectExpansion(
            of: """
                @Patchable
                public struct Card {
                    public let id: Int
                    let kind = "card"
                    public private(set) var title = ""
                    var `default`: Int?
                    var old: Int { didSet { print(oldValue) } }
                    @Clamped var level = 3
                    @MainActor var name = ""
                    @WorkerLocal var index = Index()
                    lazy var late = 5
                    static var shared = 0
                    var first = 1, second: Int
                    var text: String { title }
                }
                """,
            to: #"""
                public struct Card {
                    public let id: Int
                    let kind = "card"
                    public private(set) var title = ""
                    var `default`: Int?
                    var old: Int { didSet { print(oldValue) } }
                    @Clamped var level = 3
                    @MainActor var name = ""
                    @WorkerLocal var index = Index()
                    lazy var late = 5
                    static var shared = 0
                    var first = 1, second: Int
                    var text: String { title }

                    public func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                        if self.id != old.id {
                            return try patch.set(self)
                        }
                        try patch.field(CodingKeys.old.stringValue, from: old.old, to: self.old)
                        try patch.field(CodingKeys.name.stringValue, from: old.name, to: self.name)
                        try patch.field(CodingKeys.first.stringValue, from: old.first, to: self.first)
                        try patch.field(CodingKeys.level.stringValue, from: old._level, to: self._level)
                        try patch.field(CodingKeys.title.stringValue, from: old.title, to: self.title)
                        try patch.field(CodingKeys.second.stringValue, from: old.second, to: self.second)
                        try patch.field(CodingKeys.`default`.stringValue, from: old.`default`, to: self.`default`)
                    }

                    public mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                        try patch.fields { name, patch in
                            switch CodingKeys(stringValue: name) {
                            case .old?:
                                try patch.apply(to: &self.old)
                            case .name?:
                                try patch.apply(to: &self.name)
                            case .first?:
                                try patch.apply(to: &self.first)
                            case .level?:
                                try patch.apply(to: &self._level)
                            case .title?:
                                try patch.apply(to: &self.title)
                            case .second?:
                                try patch.apply(to: &self.second)
                            case .`default`?:
                                try patch.apply(to: &self.`default`)
                            default:
                                throw patch.unknownField(name)
                            }
                        }
                    }
                }

                nonisolated extension Card: Lattice.Patchable {
                }
                """#,
            macros: .patchable
        )
    }

    @Test func keysOfTheType() {
        expectExpansion(
            of: """
                @Patchable
                struct Card: Codable {
                    let id: Int
                    let hidden: Int
                    var title = "", words: [String], `default` = 0, secret = 0
                    private enum CodingKeys: String, CodingKey {
                        case title = "t", words = "b"
                        case `default`, id
                    }
                }
                """,
            to: #"""
                struct Card: Codable {
                    let id: Int
                    let hidden: Int
                    var title = "", words: [String], `default` = 0, secret = 0
                    private enum CodingKeys: String, CodingKey {
                        case title = "t", words = "b"
                        case `default`, id
                    }

                    func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                        if self.id != old.id {
                            return try patch.set(self)
                        }
                        try patch.field(CodingKeys.words.stringValue, from: old.words, to: self.words)
                        try patch.field(CodingKeys.title.stringValue, from: old.title, to: self.title)
                        try patch.field(CodingKeys.`default`.stringValue, from: old.`default`, to: self.`default`)
                    }

                    mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                        try patch.fields { name, patch in
                            switch CodingKeys(stringValue: name) {
                            case .words?:
                                try patch.apply(to: &self.words)
                            case .title?:
                                try patch.apply(to: &self.title)
                            case .`default`?:
                                try patch.apply(to: &self.`default`)
                            default:
                                throw patch.unknownField(name)
                            }
                        }
                    }
                }

                nonisolated extension Card: Lattice.Patchable {
                }
                """#,
            macros: .patchable
        )
    }

    @Test func conditionalMembers() {
        expectExpansion(
            of: """
                @Patchable
                struct Card {
                    #if DEBUG
                    var debug = 0
                    let constant: Int
                    #else
                    var other = 0
                    #endif
                    var title = ""
                    #if os(Linux)
                    static var none = 0
                    #endif
                }
                """,
            to: #"""
                struct Card {
                    #if DEBUG
                    var debug = 0
                    let constant: Int
                    #else
                    var other = 0
                    #endif
                    var title = ""
                    #if os(Linux)
                    static var none = 0
                    #endif

                    func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                        #if DEBUG
                            if self.constant != old.constant {
                                return try patch.set(self)
                            }
                        #else
                        #endif
                            try patch.field(CodingKeys.title.stringValue, from: old.title, to: self.title)
                        #if DEBUG
                            try patch.field(CodingKeys.debug.stringValue, from: old.debug, to: self.debug)
                        #else
                            try patch.field(CodingKeys.other.stringValue, from: old.other, to: self.other)
                        #endif
                    }

                    mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                        try patch.fields { name, patch in
                            switch CodingKeys(stringValue: name) {
                            case .title?:
                                try patch.apply(to: &self.title)
                            #if DEBUG
                                    case .debug?:
                                try patch.apply(to: &self.debug)
                            #else
                                    case .other?:
                                try patch.apply(to: &self.other)
                            #endif
                            default:
                                throw patch.unknownField(name)
                            }
                        }
                    }
                }

                nonisolated extension Card: Lattice.Patchable {
                }
                """#,
            macros: .patchable
        )
    }

    @Test func anEnumWithEachKindOfCase() {
        expectExpansion(
            of: """
                @Patchable
                enum Progress {
                    case running(File, steps: Int, _ name: String?), `default`(Int)
                    @available(macOS 99, *) case later(Int)
                    #if DEBUG
                    case debug(Int)
                    case plain
                    #endif
                    case idle, hidden(Int), partly(Int, unsent: Int = 0)
                    enum CodingKeys: String, CodingKey {
                        case running = "r", `default`, later, debug, plain, idle, partly
                    }
                    enum PartlyCodingKeys: CodingKey {
                        case _0
                    }
                }
                """,
            to: #"""
                enum Progress {
                    case running(File, steps: Int, _ name: String?), `default`(Int)
                    @available(macOS 99, *) case later(Int)
                    #if DEBUG
                    case debug(Int)
                    case plain
                    #endif
                    case idle, hidden(Int), partly(Int, unsent: Int = 0)
                    enum CodingKeys: String, CodingKey {
                        case running = "r", `default`, later, debug, plain, idle, partly
                    }
                    enum PartlyCodingKeys: CodingKey {
                        case _0
                    }

                    func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                        if case .running(let old0, let old1, let old2) = old, case .running(let new0, let new1, let new2) = self {
                            return try patch.payload(of: CodingKeys.running.stringValue) { patch in
                                try patch.field(RunningCodingKeys._0.stringValue, from: old0, to: new0)
                                try patch.field(RunningCodingKeys._2.stringValue, from: old2, to: new2)
                                try patch.field(RunningCodingKeys.steps.stringValue, from: old1, to: new1)
                            }
                        }
                        if case .`default`(let old0) = old, case .`default`(let new0) = self {
                            return try patch.payload(of: CodingKeys.`default`.stringValue) { patch in
                                try patch.field(DefaultCodingKeys._0.stringValue, from: old0, to: new0)
                            }
                        }
                        #if DEBUG
                            if case .debug(let old0) = old, case .debug(let new0) = self {
                                return try patch.payload(of: CodingKeys.debug.stringValue) { patch in
                                    try patch.field(DebugCodingKeys._0.stringValue, from: old0, to: new0)
                                }
                            }
                        #endif
                        if case .partly(let old0, _) = old, case .partly(let new0, _) = self {
                            return try patch.payload(of: CodingKeys.partly.stringValue) { patch in
                                try patch.field(PartlyCodingKeys._0.stringValue, from: old0, to: new0)
                            }
                        }
                        if self != old {
                            try patch.set(self)
                        }
                    }

                    mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                        try patch.fields { name, patch in
                            switch CodingKeys(stringValue: name) {
                            case .running?:
                                guard case .running(var new0, var new1, var new2) = self else {
                                    throw patch.mismatch("it is not in the case \"running\"")
                                }
                                self = .idle
                                try patch.payload { name, patch in
                                    switch RunningCodingKeys(stringValue: name) {
                                    case ._0?:
                                        try patch.apply(to: &new0)
                                    case ._2?:
                                        try patch.apply(to: &new2)
                                    case .steps?:
                                        try patch.apply(to: &new1)
                                    default:
                                        throw patch.unknownField(name)
                                    }
                                }
                                self = .running(new0, steps: new1, new2)
                            case .`default`?:
                                guard case .`default`(var new0) = self else {
                                    throw patch.mismatch("it is not in the case \"default\"")
                                }
                                self = .idle
                                try patch.payload { name, patch in
                                    switch DefaultCodingKeys(stringValue: name) {
                                    case ._0?:
                                        try patch.apply(to: &new0)
                                    default:
                                        throw patch.unknownField(name)
                                    }
                                }
                                self = .`default`(new0)
                            #if DEBUG
                                    case .debug?:
                                        guard case .debug(var new0) = self else {
                                            throw patch.mismatch("it is not in the case \"debug\"")
                                        }
                                        self = .idle
                                        try patch.payload { name, patch in
                                            switch DebugCodingKeys(stringValue: name) {
                                            case ._0?:
                                        try patch.apply(to: &new0)
                                            default:
                                        throw patch.unknownField(name)
                                            }
                                        }
                                        self = .debug(new0)
                            #endif
                            case .partly?:
                                guard case .partly(var new0, let new1) = self else {
                                    throw patch.mismatch("it is not in the case \"partly\"")
                                }
                                self = .idle
                                try patch.payload { name, patch in
                                    switch PartlyCodingKeys(stringValue: name) {
                                    case ._0?:
                                        try patch.apply(to: &new0)
                                    default:
                                        throw patch.unknownField(name)
                                    }
                                }
                                self = .partly(new0, unsent: new1)
                            default:
                                throw patch.unknownField(name)
                            }
                        }
                    }
                }

                nonisolated extension Progress: Lattice.Patchable {
                }
                """#,
            macros: .patchable
        )
    }

    @Test func anEnumWithoutAPlainCase() {
        expectExpansion(
            of: """
                extension Space {
                    @Patchable
                    public indirect enum Choice<Value: Codable & Equatable>: Codable, Equatable {
                        case one(Value)
                    }
                }
                """,
            to: #"""
                extension Space {
                    public indirect enum Choice<Value: Codable & Equatable>: Codable, Equatable {
                        case one(Value)

                        public func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                            if case .one(let old0) = old, case .one(let new0) = self {
                                return try patch.payload(of: CodingKeys.one.stringValue) { patch in
                                    try patch.field(OneCodingKeys._0.stringValue, from: old0, to: new0)
                                }
                            }
                            if self != old {
                                try patch.set(self)
                            }
                        }

                        public mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                            try patch.fields { name, patch in
                                switch CodingKeys(stringValue: name) {
                                case .one?:
                                    guard case .one(var new0) = self else {
                                        throw patch.mismatch("it is not in the case \"one\"")
                                    }
                                    try patch.payload { name, patch in
                                        switch OneCodingKeys(stringValue: name) {
                                        case ._0?:
                                            try patch.apply(to: &new0)
                                        default:
                                            throw patch.unknownField(name)
                                        }
                                    }
                                    self = .one(new0)
                                default:
                                    throw patch.unknownField(name)
                                }
                            }
                        }
                    }
                }

                nonisolated extension Space.Choice: Lattice.Patchable {
                }
                """#,
            macros: .patchable
        )
    }

    @Test(
        "A type without parts that change by themselves is sent as a whole",
        arguments: [
            "enum Name: String {\n    case one, two\n}", "enum Name {\n    case one, two\n}", "enum Name {\n}",
            "struct Name {\n}", "struct Name {\n    let id: Int\n}",
        ]
    )
    func wholes(declaration: String) {
        expectExpansion(
            of: "@Patchable\n\(declaration)",
            to: "\(declaration)\n\nnonisolated extension Name: Lattice.Patchable {\n}",
            macros: .patchable
        )
    }

    @Test func aConformanceThatIsDeclaredIsNotRepeated() {
        expectExpansion(
            of: """
                @Patchable
                struct Name: Patchable {
                    var text = ""
                    mutating func apply(_ action: Action) {}
                }
                """,
            to: #"""
                struct Name: Patchable {
                    var text = ""
                    mutating func apply(_ action: Action) {}

                    func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                        try patch.field(CodingKeys.text.stringValue, from: old.text, to: self.text)
                    }

                    mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                        try patch.fields { name, patch in
                            switch CodingKeys(stringValue: name) {
                            case .text?:
                                try patch.apply(to: &self.text)
                            default:
                                throw patch.unknownField(name)
                            }
                        }
                    }
                }
                """#,
            macros: .conformingPatchable
        )
    }
}
