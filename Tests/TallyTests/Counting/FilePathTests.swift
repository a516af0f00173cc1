import ExampleSupport
import TallyProgram
import Testing

struct FilePathTests {
    @Test(arguments: [
        ("", "", 0), ("", "a", 0), ("a", "a", 1), ("abc", "abd", 2), ("abc", "ab", 2), ("xbc", "abc", 0),
        ("aaaaaaaaab", "aaaaaaaaac", 9), ("aaaaaaaaaa", "aaaaabaaaa", 5),
    ])
    func sharedBeginnings(left: String, right: String, length: Int) {
        #expect(FilePath.sharedLength(Array(left.utf8), Array(right.utf8)) == length)
        #expect(FilePath.sharedLength(Array(right.utf8), Array(left.utf8)) == length)
    }

    @Test func theOrderIsThatOfTheBytes() {
        let paths = ["", "a", "a/b", "aa", "b", "\u{E9}"].map { Array($0.utf8) }
        for (index, left) in paths.enumerated() {
            for (other, right) in paths.enumerated() {
                #expect(FilePath.precedes(left, right) == (index < other), "\(left) \(right)")
                #expect(FilePath.precedes(left, right) == left.lexicographicallyPrecedes(right))
            }
        }
    }
}
