import Testing

@testable import LatticeActors

@Suite struct MangledNameTests {
    @Test(
        "The type that declares a mangled name is found",
        arguments: [
            ("4main4DeskC", "4main4DeskC"),
            ("4main4DeskC6DrawerC", "4main4DeskC6DrawerC"),
            ("4main4DeskC4openyS2iYaKFTE", "4main4DeskC"),
            ("4main3BoxCySiG", "4main3BoxC"),
            // A private type, with its discriminator.
            (
                "4main4Desk33_8EFD95E3BF92B6EEC78C50E76206B33BLLC4openyyF",
                "4main4Desk33_8EFD95E3BF92B6EEC78C50E76206B33BLLC"
            ),
            // With words that were there before.
            ("4Desk0A5ActorC4openyyF", "4Desk0A5ActorC"),
            ("4main4DeskC0b7ForMainB0C4openyyF", "4main4DeskC0b7ForMainB0C"),
            // A name with non-ASCII characters.
            ("4main0010_Gre_yxaavaC4openyyF", "4main0010_Gre_yxaavaC"),
            ("", nil), ("4", nil), ("4main", nil), ("main", nil), ("0", nil), ("0A", nil), ("99main", nil),
            ("4main4DeskF", nil), ("4main0C", nil), ("00C", nil), ("5mainC", nil),
        ] as [(String, String?)]
    )
    func owner(name: String, owner: String?) {
        #expect(MangledName(name).owner == owner)
    }

    @Test(
        "The rest of a mangled name shows whether it is a method of the type itself",
        arguments: [
            ("4openyS2iYaKFTE", true),
            ("3add_2toS2i_SitYaKFTE", true),
            ("4open33_8EFD95E3BF92B6EEC78C50E76206B33BLLyyF", true),
            ("5other1E4openyyF", true),
            ("5otherE4openyyF", true),
            ("0a4This0yyF", true), ("0aB4ThisyyF", true),
            // Methods of what is inside of it.
            ("6DrawerC4openyyF", false),
            ("0b7ForMainB0C4openyyF", false),
            ("0010_Gre_yxaavaC4openyyF", false),
            ("5otherE6DrawerC4openyyF", false),
            ("6Drawer33_8EFD95E3BF92B6EEC78C50E76206B33BLLV4openyyF", false),
            // Names that cannot be parsed.
            ("", false), ("y", false), ("AAC4openyyF", false), ("9open", false), ("0", false), ("4open", false),
            ("E4openyyF", false), ("5otherE", false), ("AAE4openyyF", false),
        ]
    )
    func rest(name: String, isMethod: Bool) {
        #expect(MangledName(name).isRestOfMethod == isMethod)
    }
}
