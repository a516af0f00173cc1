import Testing

@Suite struct StableNamesMacroTests {
    @Test func eachKindOfMember() {
        expectExpansion(
            of: """
                @StableNames
                distributed actor Clerk: StableNamed {
                    typealias ActorSystem = LatticeActorSystem
                    private var count = 0
                    func plain() {}
                    distributed func nothing() {}
                    distributed func greet(_ name: String, for `default`: Int?) async throws -> String { name }
                    distributed func `default`(in form: sending Form) {}
                    distributed var mood: String { "fine" }
                }
                """,
            to: """
                distributed actor Clerk: StableNamed {
                    typealias ActorSystem = LatticeActorSystem
                    private var count = 0
                    func plain() {}
                    distributed func nothing() {}
                    distributed func greet(_ name: String, for `default`: Int?) async throws -> String { name }
                    distributed func `default`(in form: sending Form) {}
                    distributed var mood: String { "fine" }
                }

                extension Clerk {
                    nonisolated static var stableMethods: [LatticeActors.StableMethod] {
                        var methods: [LatticeActors.StableMethod] = []
                        methods.append(LatticeActors.StableMethod("nothing()") { (actor: isolated Self) in
                                actor.nothing()
                            })
                        methods.append(LatticeActors.StableMethod("greet(_:for:)") { (actor: isolated Self, argument0: String, argument1: Int?) in
                                try await actor.greet(argument0, for: argument1)
                            })
                        methods.append(LatticeActors.StableMethod("default(in:)") { (actor: isolated Self, argument0: Form) in
                                actor.`default`(in: argument0)
                            })
                        methods.append(LatticeActors.StableMethod("mood()") { (actor: isolated Self) in
                                actor.mood
                            })
                        return methods
                    }
                }
                """,
            macros: .stableNames
        )
    }

    @Test func aMethodIsKnownByItsFormerNames() {
        expectExpansion(
            of: """
                @StableNames
                public distributed actor Clerk: StableNamed {
                    public distributed func greet(_ name: String, loudly: Bool = false, times: Int = 1) {}
                    public distributed func greet(_ name: String, loudly: Bool) {}
                    distributed func begin(first: Int = 0, last: Int) {}
                }
                """,
            to: """
                public distributed actor Clerk: StableNamed {
                    public distributed func greet(_ name: String, loudly: Bool = false, times: Int = 1) {}
                    public distributed func greet(_ name: String, loudly: Bool) {}
                    distributed func begin(first: Int = 0, last: Int) {}
                }

                extension Clerk {
                    public nonisolated static var stableMethods: [LatticeActors.StableMethod] {
                        var methods: [LatticeActors.StableMethod] = []
                        methods.append(LatticeActors.StableMethod("greet(_:loudly:times:)") { (actor: isolated Self, argument0: String, argument1: Bool, argument2: Int) in
                                actor.greet(argument0, loudly: argument1, times: argument2)
                            })
                        methods.append(LatticeActors.StableMethod("greet(_:)", isFormer: true) { (actor: isolated Self, argument0: String) in
                                actor.greet(argument0)
                            })
                        methods.append(LatticeActors.StableMethod("greet(_:loudly:)") { (actor: isolated Self, argument0: String, argument1: Bool) in
                                actor.greet(argument0, loudly: argument1)
                            })
                        methods.append(LatticeActors.StableMethod("begin(first:last:)") { (actor: isolated Self, argument0: Int, argument1: Int) in
                                actor.begin(first: argument0, last: argument1)
                            })
                        return methods
                    }
                }
                """,
            macros: .stableNames
        )
    }

    @Test func protocols() {
        expectExpansion(
            of: """
                @Resolvable
                @StableNames
                @available(macOS 99, *)
                package protocol Greeter: StableNamed where ActorSystem == LatticeActorSystem {
                    distributed func greet(_ name: String) async throws -> String
                    distributed var mood: String { get async throws }
                }
                """,
            to: """
                @Resolvable
                @available(macOS 99, *)
                package protocol Greeter: StableNamed where ActorSystem == LatticeActorSystem {
                    distributed func greet(_ name: String) async throws -> String
                    distributed var mood: String { get async throws }
                }

                @available(macOS 99, *)
                extension Greeter {
                    package nonisolated static var stableMethods: [LatticeActors.StableMethod] {
                        var methods: [LatticeActors.StableMethod] = []
                        methods.append(LatticeActors.StableMethod("greet(_:)") { (actor: isolated Self, argument0: String) in
                                try await actor.greet(argument0)
                            })
                        methods.append(LatticeActors.StableMethod("mood()") { (actor: isolated Self) in
                                try await actor.mood
                            })
                        return methods
                    }
                }
                """,
            macros: .stableNames
        )
    }

    @Test func conditionalMembers() {
        expectExpansion(
            of: """
                @StableNames
                distributed actor Clerk: StableNamed {
                    #if DEBUG
                    distributed func reset() {}
                    #endif
                    #if os(Linux)
                    func plain() {}
                    #endif
                }
                """,
            to: """
                distributed actor Clerk: StableNamed {
                    #if DEBUG
                    distributed func reset() {}
                    #endif
                    #if os(Linux)
                    func plain() {}
                    #endif
                }

                extension Clerk {
                    nonisolated static var stableMethods: [LatticeActors.StableMethod] {
                        var methods: [LatticeActors.StableMethod] = []
                        #if DEBUG
                                methods.append(LatticeActors.StableMethod("reset()") { (actor: isolated Self) in
                                actor.reset()
                            })
                        #endif
                        return methods
                    }
                }
                """,
            macros: .stableNames
        )
    }

    @Test func nothingIsDistributed() {
        expectExpansion(
            of: """
                @StableNames
                distributed actor Clerk: StableNamed {
                }
                """,
            to: """
                distributed actor Clerk: StableNamed {
                }

                extension Clerk {
                    nonisolated static var stableMethods: [LatticeActors.StableMethod] {
                        []
                    }
                }
                """,
            macros: .stableNames
        )
    }
}
