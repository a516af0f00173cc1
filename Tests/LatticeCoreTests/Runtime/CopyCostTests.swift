import Testing

@testable import LatticeCore

struct CopyCostTests {
    private struct Small {
        var number = 1
        var names = ["a", "b"]
        var nested: Small.Inner? = Inner()

        struct Inner {
            var values = Array(0..<100)
            var text = "text"
        }
    }

    private enum Loading {
        case idle
        case loaded([Int])
    }

    private final class Object: Sendable {
        let values = Array(0..<1_000)
    }

    @Test(
        "W12: what a change would copy",
        arguments: [
            ("small", Small() as any Sendable, false),
            ("an array", Array(0..<512), false),
            ("a large array", Array(0..<513), true),
            ("an array of references", Array(repeating: Object(), count: 64), false),
            ("a large array of references", Array(repeating: Object(), count: 65), true),
            ("a text", String(repeating: "a", count: 4_096), false),
            ("a large text", String(repeating: "a", count: 4_097), true),
            ("a large array inside", Small(nested: Small.Inner(values: Array(0..<1_000))), true),
            ("a large array in a case", Loading.loaded(Array(0..<1_000)), true),
            ("no payload", Loading.idle, false),
            ("an object", Object(), false),
            ("a dictionary", Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, $0) }), false),
            ("a large dictionary", Dictionary(uniqueKeysWithValues: (0..<300).map { ($0, $0) }), true),
            ("a large set", Set(0..<600), true),
        ]
    )
    func isHigh(name: String, state: any Sendable, isHigh: Bool) {
        #expect(CopyCost.isHigh(of: state) == isHigh, "\(name)")
    }
}
