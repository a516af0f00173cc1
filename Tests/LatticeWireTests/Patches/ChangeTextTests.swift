import ByteTestSupport
import LatticeCoding
import LatticeWire
import Testing

@Suite struct ChangeTextTests {
    struct Text: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The change in hexadecimal digits, like those in Protocols/vectors/patches.json.
        let change: String
        let state: String?
        let lines: [String]

        init(_ name: String, _ change: String, of state: String? = nil, _ lines: [String]) {
            testDescription = name
            self.change = change
            self.state = state
            self.lines = lines
        }
    }

    @Test(arguments: values + arrays)
    func text(_ text: Text) throws {
        let change = StateChange(Hex.bytes(text.change))
        #expect(try change.lines(changing: text.state.map(Hex.bytes)) == text.lines)
    }

    // {"files": {"a.txt": {"size": 11}}, "n": 1}
    private static let files = "a2616e01" + "6566696c6573" + "a165612e747874" + "a16473697a650b"

    static let values = [
        Text("a whole", "82001864", ["self = 100"]),
        Text("a replaced whole", "82001864", of: "01", ["self = 100 (was 1)"]),
        Text(
            "an entry deep inside",
            "8201a1" + "6566696c6573" + "8201a165612e747874" + "8201a16473697a6582000c",
            of: files,
            [#"files["a.txt"].size = 12 (was 11)"#]
        ),
        Text(
            "a replaced whole, without the old state",
            "8201a1" + "6566696c6573" + "8201a165612e747874" + "8201a16473697a6582000c",
            [#"files["a.txt"].size = 12"#]
        ),
        Text("a new entry", "8201a161788200f5", of: files, ["x = true (new)"]),
        Text("an entry removed", "8201a1616ef6", of: files, ["n removed (was 1)"]),
        Text("an entry removed, without the old state", "8201a1616ef6", ["n removed"]),
        Text("a missing entry removed", "8201a16178f6", of: files, []),
        Text(
            "keys of other kinds",
            "8201a7" + "05f6" + "24f6" + "4100f6" + "60f6" + "623161f6" + "63c3a978f6" + "8118fff6",
            ["self[5] removed", "self[-5] removed", "self[h'00'] removed", #"self[""] removed"#]
                + [#"self["1a"] removed"#, #"self["éx"] removed"#, "self[[255]] removed"]
        ),
        Text(
            "values of all kinds",
            "820085" + "20" + "4200ff" + "63611b22" + "a101f4" + "c101",
            [#"self = [-1, h'00ff', "a\u{1b}\"", {1: false}, 1(1)]"#]
        ),
        Text(
            "floats and simple values",
            "820086" + "f93c00" + "fa47c35000" + "fb3ff199999999999a" + "f6" + "f7" + "f820",
            ["self = [1.0, 100000.0, 1.1, null, undefined, simple(32)]"]
        ),
        Text(
            "a long value",
            "8200" + "9818" + String(repeating: "1903e8", count: 24),
            ["self = [" + String(repeating: "1000, ", count: 10) + "…]"]
        ),
        Text(
            "a long text",
            "8200" + "7864" + String(repeating: "c3a9", count: 50),
            [#"self = ""# + String(repeating: "é", count: 30) + #""…"#]
        ),
    ]

    static let arrays = [
        Text("put in", "82028383000003" + "8201820a0b" + "83000304", ["self[3..<5] = [10, 11] (new)"]),
        Text("put in, one", "82028283000003" + "8201810a", ["self[3] = 10 (new)"]),
        Text("removed", "82028183000003", of: "850102030405", ["self[3..<5] removed"]),
        Text("removed, one", "820282" + "83000001" + "83000203", of: "850102030405", ["self[1] removed (was 2)"]),
        Text("removed at the end, without the old state", "82028183000003", []),
        Text(
            "one moved up",
            "820283" + "83000001" + "83000401" + "83000103",
            of: "850102030405",
            ["self[4] moved to 1"]
        ),
        Text(
            "one moved down",
            "820283" + "83000104" + "83000001" + "83000501",
            of: "86010203040506",
            ["self[0] moved to 4"]
        ),
        Text(
            "several moved",
            "8201a164726f7773" + "820283" + "83000302" + "83000003" + "83000504",
            ["rows[3..<5] moved to 0..<2"]
        ),
        Text(
            "changed and moved",
            "820282" + "830201" + "8201a16161820003" + "83000001",
            of: "82a1616101a1616102",
            ["self[0].a = 3 (was 2)", "self[1] moved to 0"]
        ),
        Text(
            "changed inside an array in an array",
            "820281" + "830200" + "820282" + "83000001" + "8302018200f6",
            of: "81820102",
            ["self[0][1] = null (was 2)"]
        ),
    ]

    @Test func linesAreCounted() throws {
        let entries = (0..<20).map { "\(Hex.digits([UInt8($0)]))f6" }.joined()
        let change = StateChange(Hex.bytes("8201b4" + entries))
        #expect(try change.lines(maximumLines: 2) == ["self[0] removed", "self[1] removed", "and 18 more"])
    }

    @Test("A change that does not fit the state is an error", arguments: ["80", "a0", "05", "8100"])
    func mismatch(state: String) {
        for change in ["8201a161618201a100820001", "82028183000005"] {
            let change = StateChange(Hex.bytes(change))
            #expect(throws: WireError.self) { try change.lines(changing: Hex.bytes(state)) }
        }
    }

    @Test("Any bytes give lines or an error, and valid changes give lines")
    func anything() throws {
        var random = SplitMix(seed: FuzzTests.seed)
        for _ in 0..<1_500 {
            let value = ModelValue.random(&random)
            let change = ModelChange.random(for: value, &random)
            #expect(try change.change.lines(changing: value.bytes).count <= 101, "seed \(FuzzTests.seed)")
            _ = try change.change.lines()
            _ = try? StateChange(random.mutation(of: [change.bytes])).lines(changing: value.bytes)
            _ = try? change.change.lines(changing: random.mutation(of: [value.bytes]))
        }
    }
}
