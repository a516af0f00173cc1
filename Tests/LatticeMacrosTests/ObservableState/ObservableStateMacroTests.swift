import Testing

@Suite struct ObservableStateMacroTests {
    @Test func aStructWithEachKindOfProperty() {
        expectExpansion(
            of: """
                @ObservableState
                public struct Profile {
                    public let id: Int
                    public var name = ""
                    public private(set) var visits: Int = 0
                    var age: Int? { didSet { print(oldValue as Any) } }
                    @Clamped var level = 3
                    @MainActor var `default` = false
                    @ObservationStateIgnored var cache = 0
                    @WorkerLocal var index = Index()
                    @Lattice.ObservationStateTracked var marked = 0
                    lazy var late = 5
                    static var shared = 0
                    var title: String { name }
                    var text: String { get { name } set { name = newValue } }
                }
                """,
            to: #"""
                public struct Profile {
                    public let id: Int
                    @Lattice.ObservationStateTracked
                    public var name = ""
                    @Lattice.ObservationStateTracked
                    public private(set) var visits: Int = 0
                    @Lattice.ObservationStateTracked
                    var age: Int? { didSet { print(oldValue as Any) } }
                    @Clamped var level = 3
                    @MainActor
                    @Lattice.ObservationStateTracked var `default` = false
                    @ObservationStateIgnored var cache = 0
                    @WorkerLocal var index = Index()
                    @Lattice.ObservationStateTracked var marked = 0
                    lazy var late = 5
                    static var shared = 0
                    var title: String { name }
                    var text: String { get { name } set { name = newValue } }

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    public var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    public mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    public mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        var isSame = true
                        isSame = Lattice._$isSameValue(self.id, shown.id) && isSame
                        isSame = Lattice._$isSameValue(self.level, shown.level) && isSame
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
                        if !changes.settle(&self._name, over: shown._name) {
                            changes.note(\.name, of: shown, _$observationRegistrar)
                        }
                        if !changes.settle(&self._visits, over: shown._visits) {
                            changes.note(\.visits, of: shown, _$observationRegistrar)
                        }
                        if !changes.settle(&self._age, over: shown._age) {
                            changes.note(\.age, of: shown, _$observationRegistrar)
                        }
                        if !changes.settle(&self._default, over: shown._default) {
                            changes.note(\.`default`, of: shown, _$observationRegistrar)
                        }
                        if !changes.settle(&self._marked, over: shown._marked) {
                            changes.note(\.marked, of: shown, _$observationRegistrar)
                        }
                        return isSame
                    }
                }

                extension Profile: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .observableState
        )
    }

    @Test func propertiesInsideIf() {
        expectExpansion(
            of: """
                @ObservableState
                struct Profile {
                    #if DEBUG
                    var debug = 0
                    let id: Int
                    #elseif os(Linux)
                    var linux = 0
                    #if canImport(Glibc)
                    var glibc = 0
                    #endif
                    #else
                    static var none = 0
                    #endif
                    #if os(Windows)
                    func nothing() {}
                    #endif
                }
                """,
            to: #"""
                struct Profile {
                    #if DEBUG
                    var debug = 0
                    let id: Int
                    #elseif os(Linux)
                    var linux = 0
                    #if canImport(Glibc)
                    var glibc = 0
                    #endif
                    #else
                    static var none = 0
                    #endif
                    #if os(Windows)
                    func nothing() {}
                    #endif

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        var isSame = true
                        #if DEBUG
                            isSame = Lattice._$isSameValue(self.id, shown.id) && isSame
                        #elseif os(Linux)
                        #else
                        #endif
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
                        #if DEBUG
                            if !changes.settle(&self._debug, over: shown._debug) {
                                changes.note(\.debug, of: shown, _$observationRegistrar)
                            }
                        #elseif os(Linux)
                            if !changes.settle(&self._linux, over: shown._linux) {
                                changes.note(\.linux, of: shown, _$observationRegistrar)
                            }
                        #if canImport(Glibc)
                            if !changes.settle(&self._glibc, over: shown._glibc) {
                                changes.note(\.glibc, of: shown, _$observationRegistrar)
                            }
                        #endif
                        #else
                        #endif
                        return isSame
                    }
                }

                extension Profile: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .observableState
        )
    }

    @Test func aStructWithoutProperties() {
        expectExpansion(
            of: """
                @ObservableState
                fileprivate struct Profile: Codable {
                }
                """,
            to: """
                fileprivate struct Profile: Codable {

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                        return true
                    }

                    private enum CodingKeys: CodingKey {
                    }
                }

                extension Profile: nonisolated Lattice.ObservableState {
                }
                """,
            macros: .codableObservableState
        )
    }

    @Test func aGenericNestedStruct() {
        expectExpansion(
            of: """
                enum Space {
                    @ObservableState
                    package struct Pair<First, Second> {
                        package var first: First
                        package var second: Second
                    }
                }
                """,
            to: #"""
                enum Space {
                    package struct Pair<First, Second> {
                        @Lattice.ObservationStateTracked
                        package var first: First
                        @Lattice.ObservationStateTracked
                        package var second: Second

                        @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                        package var _$id: Lattice.ObservableStateID {
                            _$observationRegistrar.id
                        }

                        package mutating func _$willModify() {
                            _$observationRegistrar._$willModify()
                        }

                        package mutating func _$takePlace(
                            of shown: Self,
                            _ changes: inout Lattice._ObservationChanges
                        ) -> Bool {
                            _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                            if !changes.settle(&self._first, over: shown._first) {
                                changes.note(\.first, of: shown, _$observationRegistrar)
                            }
                            if !changes.settle(&self._second, over: shown._second) {
                                changes.note(\.second, of: shown, _$observationRegistrar)
                            }
                            return true
                        }
                    }
                }

                extension Space.Pair: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .observableState
        )
    }

    @Test func availabilityAndAccessOfEnclosingTypes() {
        expectExpansion(
            of: """
                @available(macOS 99, *)
                public extension Space {
                    @available(iOS 99, *)
                    @ObservableState
                    struct Profile {
                        var name = ""
                    }
                }
                """,
            to: #"""
                @available(macOS 99, *)
                public extension Space {
                    @available(iOS 99, *)
                    struct Profile {
                        @Lattice.ObservationStateTracked
                        var name = ""

                        @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                        public var _$id: Lattice.ObservableStateID {
                            _$observationRegistrar.id
                        }

                        public mutating func _$willModify() {
                            _$observationRegistrar._$willModify()
                        }

                        public mutating func _$takePlace(
                            of shown: Self,
                            _ changes: inout Lattice._ObservationChanges
                        ) -> Bool {
                            _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                            if !changes.settle(&self._name, over: shown._name) {
                                changes.note(\.name, of: shown, _$observationRegistrar)
                            }
                            return true
                        }
                    }
                }

                @available(iOS 99, *)
                @available(macOS 99, *)
                extension Space.Profile: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .observableState
        )
    }

    @Test func anEnum() {
        expectExpansion(
            of: """
                @ObservableState
                public enum Status {
                    case away, asleep
                    case busy(Int)
                    case home(at: Address)
                    case meeting(String, room: Int, _ floor: Int)
                    indirect case nested(Status)
                    case empty()
                    static let all = 1
                }
                """,
            to: """
                public enum Status {
                    case away, asleep
                    case busy(Int)
                    case home(at: Address)
                    case meeting(String, room: Int, _ floor: Int)
                    indirect case nested(Status)
                    case empty()
                    static let all = 1

                    public var _$id: Lattice.ObservableStateID {
                        switch self {
                        case .away:
                            return Lattice.ObservableStateID._$plain._$tag(0)
                        case .asleep:
                            return Lattice.ObservableStateID._$plain._$tag(1)
                        case .busy(let value):
                            return Lattice.ObservableStateID._$id(for: value)._$tag(2)
                        case .home(let value):
                            return Lattice.ObservableStateID._$id(for: value)._$tag(3)
                        case .meeting:
                            return Lattice.ObservableStateID._$plain._$tag(4)
                        case .nested(let value):
                            return Lattice.ObservableStateID._$id(for: value)._$tag(5)
                        case .empty:
                            return Lattice.ObservableStateID._$plain._$tag(6)
                        }
                    }

                    public mutating func _$willModify() {
                        switch self {
                        case .away:
                            break
                        case .asleep:
                            break
                        case .busy(var value):
                            Lattice._$willModify(&value)
                            self = .busy(value)
                        case .home(var value):
                            Lattice._$willModify(&value)
                            self = .home(at: value)
                        case .meeting:
                            break
                        case .nested(var value):
                            Lattice._$willModify(&value)
                            self = .nested(value)
                        case .empty:
                            break
                        }
                    }

                    public mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        if case .away = self, case .away = shown {
                            return true
                        }
                        if case .asleep = self, case .asleep = shown {
                            return true
                        }
                        if case .busy(var value0) = self, case .busy(let shown0) = shown {
                            let isSame0 = changes.settle(&value0, over: shown0)
                            self = .busy(value0)
                            return isSame0
                        }
                        if case .home(var value0) = self, case .home(let shown0) = shown {
                            let isSame0 = changes.settle(&value0, over: shown0)
                            self = .home(at: value0)
                            return isSame0
                        }
                        if case .meeting(var value0, var value1, var value2) = self, case .meeting(let shown0, let shown1, let shown2) = shown {
                            let isSame0 = changes.settle(&value0, over: shown0)
                            let isSame1 = changes.settle(&value1, over: shown1)
                            let isSame2 = changes.settle(&value2, over: shown2)
                            self = .meeting(value0, room: value1, value2)
                            return isSame0 && isSame1 && isSame2
                        }
                        if case .nested(var value0) = self, case .nested(let shown0) = shown {
                            let isSame0 = changes.settle(&value0, over: shown0)
                            self = .nested(value0)
                            return isSame0
                        }
                        if case .empty = self, case .empty = shown {
                            return true
                        }
                        Lattice._ObservationChanges.place(&self)
                        return false
                    }
                }

                extension Status: nonisolated Lattice.ObservableState {
                }
                """,
            macros: .observableState
        )
    }

    @Test func casesInsideIf() {
        expectExpansion(
            of: """
                @ObservableState
                enum Status {
                    #if DEBUG
                    case debug(Int)
                    #else
                    case release
                    #endif
                    case away
                }
                """,
            to: """
                enum Status {
                    #if DEBUG
                    case debug(Int)
                    #else
                    case release
                    #endif
                    case away

                    var _$id: Lattice.ObservableStateID {
                        switch self {
                        #if DEBUG
                            case .debug(let value):
                                return Lattice.ObservableStateID._$id(for: value)._$tag(0)
                        #else
                            case .release:
                                return Lattice.ObservableStateID._$plain._$tag(1)
                        #endif
                            case .away:
                                return Lattice.ObservableStateID._$plain._$tag(2)
                        }
                    }

                    mutating func _$willModify() {
                        switch self {
                        #if DEBUG
                            case .debug(var value):
                                Lattice._$willModify(&value)
                                self = .debug(value)
                        #else
                            case .release:
                                break
                        #endif
                            case .away:
                                break
                        }
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        #if DEBUG
                            if case .debug(var value0) = self, case .debug(let shown0) = shown {
                                let isSame0 = changes.settle(&value0, over: shown0)
                                self = .debug(value0)
                                return isSame0
                            }
                        #else
                            if case .release = self, case .release = shown {
                                return true
                            }
                        #endif
                            if case .away = self, case .away = shown {
                                return true
                            }
                            Lattice._ObservationChanges.place(&self)
                            return false
                    }
                }

                extension Status: nonisolated Lattice.ObservableState {
                }
                """,
            macros: .observableState
        )
    }

    @Test func anEnumWithoutCases() {
        expectExpansion(
            of: """
                @ObservableState
                enum Status {
                }
                """,
            to: """
                enum Status {

                    var _$id: Lattice.ObservableStateID {
                        switch self {

                        }
                    }

                    mutating func _$willModify() {
                        switch self {

                        }
                    }
                }

                extension Status: nonisolated Lattice.ObservableState {
                }
                """,
            macros: .observableState
        )
    }

    @Test func codingKeys() {
        expectExpansion(
            of: """
                @ObservableState
                struct Profile: Codable {
                    let id: Int
                    var name = ""
                    var `default` = false
                    @ObservationStateIgnored var cache = 0
                    lazy var late = 5
                    #if DEBUG
                    var debug = 0
                    #endif
                }
                """,
            to: #"""
                struct Profile: Codable {
                    let id: Int
                    @Lattice.ObservationStateTracked
                    var name = ""
                    @Lattice.ObservationStateTracked
                    var `default` = false
                    @ObservationStateIgnored var cache = 0
                    lazy var late = 5
                    #if DEBUG
                    var debug = 0
                    #endif

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        var isSame = true
                        isSame = Lattice._$isSameValue(self.id, shown.id) && isSame
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
                        if !changes.settle(&self._name, over: shown._name) {
                            changes.note(\.name, of: shown, _$observationRegistrar)
                        }
                        if !changes.settle(&self._default, over: shown._default) {
                            changes.note(\.`default`, of: shown, _$observationRegistrar)
                        }
                        #if DEBUG
                            if !changes.settle(&self._debug, over: shown._debug) {
                                changes.note(\.debug, of: shown, _$observationRegistrar)
                            }
                        #endif
                        return isSame
                    }

                    private enum CodingKeys: String, CodingKey {
                        case id
                        case _name = "name"
                        case _default = "default"
                        case cache
                        #if DEBUG
                            case _debug = "debug"
                        #endif
                    }
                }

                extension Profile: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .codableObservableState
        )
    }

    @Test func codingThatIsWrittenNeedsNoKeys() {
        expectExpansion(
            of: """
                @ObservableState
                struct Name: Codable {
                    var text = ""
                    init(from decoder: any Decoder) throws {}
                    func encode(to encoder: any Encoder) throws {}
                }
                """,
            to: #"""
                struct Name: Codable {
                    @Lattice.ObservationStateTracked
                    var text = ""
                    init(from decoder: any Decoder) throws {}
                    func encode(to encoder: any Encoder) throws {}

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                        if !changes.settle(&self._text, over: shown._text) {
                            changes.note(\.text, of: shown, _$observationRegistrar)
                        }
                        return true
                    }
                }

                extension Name: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .codableObservableState
        )
    }

    @Test func oneOfTwoFunctionsNeedsKeys() {
        expectExpansion(
            of: """
                @ObservableState
                struct Name: Codable {
                    var text = ""
                    init(from decoder: any Decoder) throws {}
                }
                """,
            to: #"""
                struct Name: Codable {
                    @Lattice.ObservationStateTracked
                    var text = ""
                    init(from decoder: any Decoder) throws {}

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                        if !changes.settle(&self._text, over: shown._text) {
                            changes.note(\.text, of: shown, _$observationRegistrar)
                        }
                        return true
                    }

                    private enum CodingKeys: String, CodingKey {
                        case _text = "text"
                    }
                }

                extension Name: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .codableObservableState
        )
    }

    @Test func ownKeysAreKept() {
        expectExpansion(
            of: """
                @ObservableState
                struct Name: Codable {
                    var text = ""
                    let id: Int
                    enum CodingKeys: String, CodingKey {
                        case _text = "t", id
                    }
                }
                """,
            to: #"""
                struct Name: Codable {
                    @Lattice.ObservationStateTracked
                    var text = ""
                    let id: Int
                    enum CodingKeys: String, CodingKey {
                        case _text = "t", id
                    }

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        var isSame = true
                        isSame = Lattice._$isSameValue(self.id, shown.id) && isSame
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
                        if !changes.settle(&self._text, over: shown._text) {
                            changes.note(\.text, of: shown, _$observationRegistrar)
                        }
                        return isSame
                    }
                }

                extension Name: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .codableObservableState
        )
    }

    @Test func aPatchableState() {
        expectExpansion(
            of: """
                @ObservableState
                struct Row: Patchable, Identifiable {
                    let id: Int
                    var text = ""
                    @Clamped var level = 3
                    @ObservationStateIgnored var cache = 0
                    @WorkerLocal var index = Index()
                }
                """,
            to: #"""
                struct Row: Patchable, Identifiable {
                    let id: Int
                    @Lattice.ObservationStateTracked
                    var text = ""
                    @Clamped var level = 3
                    @ObservationStateIgnored var cache = 0
                    @WorkerLocal var index = Index()

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        var isSame = true
                        isSame = Lattice._$isSameValue(self.id, shown.id) && isSame
                        isSame = Lattice._$isSameValue(self.level, shown.level) && isSame
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: isSame, changes)
                        if !changes.settle(&self._text, over: shown._text) {
                            changes.note(\.text, of: shown, _$observationRegistrar)
                        }
                        return isSame
                    }

                    private enum CodingKeys: String, CodingKey {
                        case id
                        case _text = "text"
                        case level
                        case cache
                        case index
                    }

                    func encodePatch(from old: Self, to patch: inout Lattice.PatchEncoder) throws {
                        if self.id != old.id {
                            return try patch.set(self)
                        }
                        try patch.field(CodingKeys._text.stringValue, from: old._text, to: self._text)
                        try patch.field(CodingKeys.cache.stringValue, from: old.cache, to: self.cache)
                        try patch.field(CodingKeys.level.stringValue, from: old._level, to: self._level)
                    }

                    mutating func apply(_ patch: inout Lattice.PatchDecoder) throws {
                        try patch.fields { name, patch in
                            switch CodingKeys(stringValue: name) {
                            case ._text?:
                                try patch.apply(to: &self._text)
                            case .cache?:
                                try patch.apply(to: &self.cache)
                            case .level?:
                                try patch.apply(to: &self._level)
                            default:
                                throw patch.unknownField(name)
                            }
                        }
                    }
                }

                extension Row: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .codableObservableState
        )
    }

    @Test func aPatchableStateWithFunctionsOfItsOwn() {
        expectExpansion(
            of: """
                @ObservableState
                enum Row: Equatable & Patchable {
                    case one(Int)
                    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {}
                }
                """,
            to: #"""
                enum Row: Equatable & Patchable {
                    case one(Int)
                    func encodePatch(from old: Self, to patch: inout PatchEncoder) throws {}

                    var _$id: Lattice.ObservableStateID {
                        switch self {
                        case .one(let value):
                            return Lattice.ObservableStateID._$id(for: value)._$tag(0)
                        }
                    }

                    mutating func _$willModify() {
                        switch self {
                        case .one(var value):
                            Lattice._$willModify(&value)
                            self = .one(value)
                        }
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        if case .one(var value0) = self, case .one(let shown0) = shown {
                            let isSame0 = changes.settle(&value0, over: shown0)
                            self = .one(value0)
                            return isSame0
                        }
                        Lattice._ObservationChanges.place(&self)
                        return false
                    }
                }

                extension Row: nonisolated Lattice.ObservableState {
                }
                """#,
            macros: .codableObservableState
        )
    }

    @Test func aConformanceThatIsDeclaredIsNotRepeated() {
        expectExpansion(
            of: """
                @ObservableState
                struct Name: ObservableState {
                    var text = ""
                }
                """,
            to: #"""
                struct Name: ObservableState {
                    @Lattice.ObservationStateTracked
                    var text = ""

                    @Lattice.ObservationStateIgnored var _$observationRegistrar = Lattice.ObservationStateRegistrar()

                    var _$id: Lattice.ObservableStateID {
                        _$observationRegistrar.id
                    }

                    mutating func _$willModify() {
                        _$observationRegistrar._$willModify()
                    }

                    mutating func _$takePlace(
                        of shown: Self,
                        _ changes: inout Lattice._ObservationChanges
                    ) -> Bool {
                        _$observationRegistrar.takePlace(of: shown._$observationRegistrar, isSame: true, changes)
                        if !changes.settle(&self._text, over: shown._text) {
                            changes.note(\.text, of: shown, _$observationRegistrar)
                        }
                        return true
                    }
                }
                """#,
            macros: .conformingObservableState
        )
    }

    @Test func trackedVariables() {
        expectExpansion(
            of: """
                struct Profile {
                    @ObservationStateTracked
                    public var name = ""
                    @ObservationStateTracked
                    private(set) var visits: Int = 0
                    @ObservationStateTracked @MainActor
                    var age: Int? {
                        willSet { print(newValue as Any) }
                        didSet {
                            print(oldValue as Any)
                        }
                    }
                    @ObservationStateTracked
                    weak var `default`: Address?
                }
                """,
            to: #"""
                struct Profile {
                    public var name {
                        @storageRestrictions(initializes: _name)
                        init(initialValue) {
                            _name = initialValue
                        }
                        get {
                            _$observationRegistrar.access(self, keyPath: \.name)
                            return _name
                        }
                        set {
                            _name = newValue
                        }
                        _modify {
                            yield &_name
                        }
                    }

                    @Lattice.ObservationStateIgnored private var _name = ""
                    private(set) var visits: Int {
                        @storageRestrictions(initializes: _visits)
                        init(initialValue) {
                            _visits = initialValue
                        }
                        get {
                            _$observationRegistrar.access(self, keyPath: \.visits)
                            return _visits
                        }
                        set {
                            _visits = newValue
                        }
                        _modify {
                            yield &_visits
                        }
                    }

                    @Lattice.ObservationStateIgnored private var _visits: Int = 0
                    @MainActor
                    var age: Int? {
                        willSet { print(newValue as Any) }
                        didSet {
                            print(oldValue as Any)
                        }
                        @storageRestrictions(initializes: _age)
                        init(initialValue) {
                            _age = initialValue
                        }

                        get {
                            _$observationRegistrar.access(self, keyPath: \.age)
                            return _age
                        }

                        set {
                            _age = newValue
                        }

                        _modify {
                            yield &_age
                        }
                    }

                    @Lattice.ObservationStateIgnored @MainActor private var _age: Int? {
                            willSet {
                                print(newValue as Any)
                            }
                            didSet {
                                print(oldValue as Any)
                            }
                        }
                    weak var `default`: Address? {
                        @storageRestrictions(initializes: _default)
                        init(initialValue) {
                            _default = initialValue
                        }
                        get {
                            _$observationRegistrar.access(self, keyPath: \.`default`)
                            return _default
                        }
                        set {
                            _default = newValue
                        }
                        _modify {
                            yield &_default
                        }
                    }

                    @Lattice.ObservationStateIgnored private weak var _default: Address?
                }
                """#,
            macros: .observationStateTracked
        )
    }

    @Test("Observers access the stored property where their code names the variable itself")
    func observersOfTheirOwnVariable() {
        expectExpansion(
            of: """
                struct Profile {
                    @ObservationStateTracked
                    var age = 0 {
                        didSet {
                            age = min(self.age, other.age)
                            let age = \\Self.age
                            show(age)
                        }
                    }
                }
                """,
            to: #"""
                struct Profile {
                    var age {
                        didSet {
                            age = min(self.age, other.age)
                            let age = \Self.age
                            show(age)
                        }
                        @storageRestrictions(initializes: _age)
                        init(initialValue) {
                            _age = initialValue
                        }

                        get {
                            _$observationRegistrar.access(self, keyPath: \.age)
                            return _age
                        }

                        set {
                            _age = newValue
                        }

                        _modify {
                            yield &_age
                        }
                    }

                    @Lattice.ObservationStateIgnored private var _age = 0 {
                            didSet {
                                _age = min(self._age, other.age)
                                let age = \Self.age
                                show(age)
                            }
                        }
                }
                """#,
            macros: .observationStateTracked
        )
    }

    @Test func untrackablePropertiesAreLeftAlone() {
        expectExpansion(
            of: """
                struct Profile {
                    @ObservationStateTracked
                    let id: Int
                    @ObservationStateTracked
                    var title: String { "" }
                    @ObservationStateTracked
                    static var shared = 0
                    @ObservationStateTracked
                    lazy var late = 0
                    @ObservationStateIgnored
                    var cache = 0
                }
                """,
            to: """
                struct Profile {
                    let id: Int
                    var title: String { "" }
                    static var shared = 0
                    lazy var late = 0
                    var cache = 0
                }
                """,
            macros: .observationStateTracked
        )
    }
}
