import Testing

struct CasePathableMacroTests {
    @Test func payloadsOfEachKind() {
        expectExpansion(
            of: """
                @CasePathable
                enum Action {
                    case idle, loaded(Int)
                    case moved(x: Int, y: [String])
                    case renamed(to: String)
                    case pair(_ first: Int, Int? = nil)
                    case `default`(@Sendable () -> Void)
                    indirect case nested(Self, [Self.Other])
                }
                """,
            to: """
                enum Action {
                    case idle, loaded(Int)
                    case moved(x: Int, y: [String])
                    case renamed(to: String)
                    case pair(_ first: Int, Int? = nil)
                    case `default`(@Sendable () -> Void)
                    indirect case nested(Self, [Self.Other])

                    nonisolated struct AllCasePaths: Sendable {
                        var idle: Lattice.AnyCasePath<Action, Void> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .idle
                                },
                                extract: {
                                    if case .idle = $0 {
                                        ()
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        var loaded: Lattice.AnyCasePath<Action, Int> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .loaded($0)
                                },
                                extract: {
                                    if case .loaded(let value) = $0 {
                                        value
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        var moved: Lattice.AnyCasePath<Action, (x: Int, y: [String])> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .moved(x: $0.0, y: $0.1)
                                },
                                extract: {
                                    if case .moved(let value0, let value1) = $0 {
                                        (x: value0, y: value1)
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        var renamed: Lattice.AnyCasePath<Action, String> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .renamed(to: $0)
                                },
                                extract: {
                                    if case .renamed(let value) = $0 {
                                        value
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        var pair: Lattice.AnyCasePath<Action, (Int, Int?)> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .pair($0.0, $0.1)
                                },
                                extract: {
                                    if case .pair(let value0, let value1) = $0 {
                                        (value0, value1)
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        var `default`: Lattice.AnyCasePath<Action, @Sendable () -> Void> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .`default`($0)
                                },
                                extract: {
                                    if case .`default`(let value) = $0 {
                                        value
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        var nested: Lattice.AnyCasePath<Action, (Action, [Action.Other])> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .nested($0.0, $0.1)
                                },
                                extract: {
                                    if case .nested(let value0, let value1) = $0 {
                                        (value0, value1)
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                    }

                    nonisolated static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                extension Action: nonisolated Lattice.CasePathable {
                }
                """,
            macros: .lattice
        )
    }

    @Test(
        "Members are as visible as the enum (W7)",
        arguments: [
            ("public ", "public "), ("package ", "package "), ("internal ", ""), ("fileprivate ", ""), ("private ", ""),
        ]
    )
    func access(modifier: String, copied: String) {
        expectExpansion(
            of: """
                @CasePathable
                \(modifier)enum Action {
                    case idle
                }
                """,
            to: """
                \(modifier)enum Action {
                    case idle

                    \(copied)nonisolated struct AllCasePaths: Sendable {
                        \(copied)var idle: Lattice.AnyCasePath<Action, Void> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .idle
                                },
                                extract: {
                                    if case .idle = $0 {
                                        ()
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                    }

                    \(copied)nonisolated static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                extension Action: nonisolated Lattice.CasePathable {
                }
                """,
            macros: .lattice
        )
    }

    @Test("An extension's access level holds for an enum in it (W7)")
    func accessOfAnExtension() {
        expectExpansion(
            of: """
                public extension Feature {
                    @CasePathable
                    enum Action {
                        case idle
                    }
                }
                """,
            to: """
                public extension Feature {
                    enum Action {
                        case idle

                        public nonisolated struct AllCasePaths: Sendable {
                            public var idle: Lattice.AnyCasePath<Action, Void> {
                                Lattice.AnyCasePath(
                                    embed: {
                                        .idle
                                    },
                                    extract: {
                                        if case .idle = $0 {
                                            ()
                                        } else {
                                            nil
                                        }
                                    }
                                )
                            }
                        }

                        public nonisolated static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }
                }

                extension Feature.Action: nonisolated Lattice.CasePathable {
                }
                """,
            macros: .lattice
        )
    }

    @Test func conditionsAndAvailability() {
        expectExpansion(
            of: """
                @available(macOS 99, *)
                @CasePathable
                enum Action {
                    #if DEBUG
                    case debug
                    #elseif os(Linux)
                    func nothing() {}
                    #else
                    @available(*, deprecated) case old(Int)
                    #endif
                    #if NEVER
                    func something() {}
                    #endif
                }
                """,
            to: """
                @available(macOS 99, *)
                enum Action {
                    #if DEBUG
                    case debug
                    #elseif os(Linux)
                    func nothing() {}
                    #else
                    @available(*, deprecated) case old(Int)
                    #endif
                    #if NEVER
                    func something() {}
                    #endif

                    nonisolated struct AllCasePaths: Sendable {
                        #if DEBUG
                        var debug: Lattice.AnyCasePath<Action, Void> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .debug
                                },
                                extract: {
                                    if case .debug = $0 {
                                        ()
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        #elseif os(Linux)
                        #else
                        @available(*, deprecated)
                        var old: Lattice.AnyCasePath<Action, Int> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .old($0)
                                },
                                extract: {
                                    if case .old(let value) = $0 {
                                        value
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        #endif
                    }

                    nonisolated static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                @available(macOS 99, *)
                extension Action: nonisolated Lattice.CasePathable {
                }
                """,
            macros: .lattice
        )
    }

    @Test("An unavailable case has no case path, because it cannot be created")
    func unavailableCases() {
        expectExpansion(
            of: """
                @CasePathable
                enum Action {
                    @available(*, unavailable) case never
                    @available(macOS, unavailable)
                    @available(tvOS, unavailable, message: "No hands")
                    @available(iOS 99, *)
                    case touch
                }
                """,
            to: """
                enum Action {
                    @available(*, unavailable) case never
                    @available(macOS, unavailable)
                    @available(tvOS, unavailable, message: "No hands")
                    @available(iOS 99, *)
                    case touch

                    nonisolated struct AllCasePaths: Sendable {
                        #if !os(macOS) && !os(tvOS)
                        @available(macOS, unavailable)
                        @available(tvOS, unavailable, message: "No hands")
                        @available(iOS 99, *)
                        var touch: Lattice.AnyCasePath<Action, Void> {
                            Lattice.AnyCasePath(
                                embed: {
                                    .touch
                                },
                                extract: {
                                    if case .touch = $0 {
                                        ()
                                    } else {
                                        nil
                                    }
                                }
                            )
                        }
                        #endif
                    }

                    nonisolated static var allCasePaths: AllCasePaths {
                        AllCasePaths()
                    }
                }

                extension Action: nonisolated Lattice.CasePathable {
                }
                """,
            macros: .lattice
        )
    }

    @Test func availabilityOfOuterTypesHoldsForTheExtension() {
        expectExpansion(
            of: """
                @available(macOS 99, *)
                enum Feature {
                    @CasePathable
                    private enum Action: CasePathable {
                        case idle
                    }
                }
                """,
            to: """
                @available(macOS 99, *)
                enum Feature {
                    private enum Action: CasePathable {
                        case idle

                        nonisolated struct AllCasePaths: Sendable {
                            var idle: Lattice.AnyCasePath<Action, Void> {
                                Lattice.AnyCasePath(
                                    embed: {
                                        .idle
                                    },
                                    extract: {
                                        if case .idle = $0 {
                                            ()
                                        } else {
                                            nil
                                        }
                                    }
                                )
                            }
                        }

                        nonisolated static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }
                }
                """,
            macros: .latticeWithoutConformances
        )
        expectExpansion(
            of: """
                @available(macOS 99, *)
                enum Feature {
                    @CasePathable
                    enum Action {
                        case idle
                    }
                }
                """,
            to: """
                @available(macOS 99, *)
                enum Feature {
                    enum Action {
                        case idle

                        nonisolated struct AllCasePaths: Sendable {
                            var idle: Lattice.AnyCasePath<Action, Void> {
                                Lattice.AnyCasePath(
                                    embed: {
                                        .idle
                                    },
                                    extract: {
                                        if case .idle = $0 {
                                            ()
                                        } else {
                                            nil
                                        }
                                    }
                                )
                            }
                        }

                        nonisolated static var allCasePaths: AllCasePaths {
                            AllCasePaths()
                        }
                    }
                }

                @available(macOS 99, *)
                extension Feature.Action: nonisolated Lattice.CasePathable {
                }
                """,
            macros: .lattice
        )
    }
}
