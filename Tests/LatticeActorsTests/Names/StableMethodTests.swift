import Distributed
import Testing

@testable import LatticeActors

@Suite struct StableMethodTests {
    @Test(
        "The full name of a method is found at the end of its demangled description",
        arguments: [
            ("Shop.Clerk.greet(_:loudly:)", "greet(_:loudly:)"),
            ("Shop.Clerk.nothing()", "nothing()"),
            ("greet(_:)", "greet(_:)"),
            ("(extension in Other):Shop.Clerk.greet(_:)", "greet(_:)"),
            ("Shop.Clerk.(greet in _8EFD95E3)(_:)", nil),
            ("Shop.Clerk.`two words`(x:)", "two words(x:)"),
            ("Shop.Clerk.`a.b (c`(`d )`:)", "a.b (c(d ):)"),
            ("Shop.Clerk.größe(für:)", "größe(für:)"),
            ("$s4Shop5ClerkCAA7GreeterA2aDP4moodSSvgTWTE", nil),
            ("Shop.Clerk.", nil), ("(_:)", nil), ("", nil), (")", nil), ("`(`)", nil),
        ] as [(String, String?)]
    )
    func fullNames(_ description: String, _ name: String?) {
        #expect(FullName.last(of: description) == name)
    }

    @Test(
        "Both forms in which the compiler shows a method are recognised",
        arguments: [
            ("$s3exp1AC0020twowords_liaADEDGcja1xySi_tYaKFTE", "two words(x:)"),
            ("$s3exp1AC009gre_GkaIi006fr_xkaySi_tYaKFTE", "größe(für:)"),
            ("$s3exp1AC10closureIsh2of_1cSaySiGSDySSSayAA5OuterV5InnerVGG_SiSgSitYaKFTE", "closureIsh(of:_:c:)"),
            ("$s3exp1AC3add_2toSiSS_SitYaKFTE", "add(_:to:)"),
            ("$s3exp1AC4moodSSyYaKFTE", "mood()"),
            ("$s3exp1AC7default2inySi_tYaKFTE", "default(in:)"),
            ("$s3exp1AC4inityySiYaKFTE", "init(_:)"),
            ("$s3exp1fyyF1LL_C3loc1aySi_tYaKFTE", "loc(a:)"),
            ("$s3exp3BoxC2InC1x1aySi_tYaKFTE", "x(a:)"),
            ("$s3exp3BoxC3putyyxYaKFTE", "put(_:)"),
            ("$s3exp7GreeterPAA11Distributed01_C9ActorStubRzrlE5greetyS2SYaKFTE", "greet(_:)"),
            ("$s3exp7GreeterPAA11Distributed01_C9ActorStubRzrlE4moodSSyYaKFTE", "mood()"),
        ]
    )
    func compilersNames(_ mangled: String, _ name: String) {
        #expect(FullName.last(of: RemoteCallTarget(mangled).description) == name)
    }

    @Test func signaturesHaveNoModules() {
        let methods = Dictionary(uniqueKeysWithValues: Oddities.stableMethods.map { ($0.name, $0.signature) })
        #expect(
            methods == [
                "form(_:)": "(Form) -> Array<Form>",
                "perhaps(a:b:)": "(Optional<Int>, Dictionary<String, Bool>) -> Void",
                "stream()": "() -> ActorStream<Form>", "default(in:)": "(Secret) -> Void",
                "größe(für:)": "(Int) -> Int",
                "two words(x:)": "(Int) -> Int",
            ]
        )
    }

    @Test func oddNamesAreFound() async throws {
        try await ActorNet.with { net in
            let table = try #require(StableTable.of(Oddities.self))
            try net.systems[1].host("odd") { Oddities(actorSystem: $0) }
            let odd = try await net.hub.resolve(Oddities.self, named: "odd", within: .seconds(100))
            #expect(odd.id.hasTable)
            try await odd.default(in: Oddities.Secret(text: "a"))
            let size = try await odd.größe(für: 3)
            let words = try await odd.`two words`(x: 4)
            #expect(size == 3 && words == 4 && table.methods.count == 6)
        }
    }

    @Test func aDigestIsFNV1a() {
        let method = Oddities.stableMethods.first { $0.signature == "(Int) -> Int" }
        #expect(method?.digest == 0x56b3_8084_c8ff_a72b)
    }
}

distributed actor Oddities: StableNamed {
    typealias ActorSystem = LatticeActorSystem

    struct Form: Codable, Sendable {}

    struct Secret: Codable {
        let text: String
    }

    distributed func form(_ form: Form) -> [Form] { [form] }
    distributed func perhaps(a: Int?, b: [String: Bool]) {}
    distributed func stream() -> ActorStream<Form> { ActorStream([Form()]) }
    distributed func `default`(in secret: Secret) {}
    distributed func größe(für size: Int) -> Int { size }
    distributed func `two words`(x: Int) -> Int { x }

    static var stableMethods: [StableMethod] {
        [
            StableMethod("form(_:)") { (actor: isolated Self, form: Form) in actor.form(form) },
            StableMethod("perhaps(a:b:)") { (actor: isolated Self, a: Int?, b: [String: Bool]) in
                actor.perhaps(a: a, b: b)
            },
            StableMethod("stream()") { (actor: isolated Self) in actor.stream() },
            StableMethod("`default`(in:)") { (actor: isolated Self, secret: Secret) in actor.default(in: secret) },
            StableMethod("größe(für:)") { (actor: isolated Self, size: Int) in actor.größe(für: size) },
            StableMethod("`two words`(x:)") { (actor: isolated Self, x: Int) in actor.`two words`(x: x) },
        ]
    }
}
